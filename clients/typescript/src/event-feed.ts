import { ServerEvent } from './events.js';

/** Events that wait for a slow reader at most. */
const MAX_WAITING = 2048;
/** What a slow reader loses first; answers are never lost. */
const LOST_FIRST: readonly ServerEvent['event'][] = [
  'ack',
  'answer.delta',
  'pong',
  'throttle',
  'keyframe',
  'percept',
];

/** Events as an async iterator. Of a reader that does not keep up the oldest acks go first, then other events; never answers or errors. */
export class EventFeed implements AsyncIterableIterator<ServerEvent> {
  private readonly waiting: ServerEvent[] = [];
  private take: ((result: IteratorResult<ServerEvent>) => void) | null = null;
  private isOver = false;

  constructor(private readonly onReturn: (feed: EventFeed) => void) {}

  push(event: ServerEvent): void {
    if (this.isOver) return;
    if (this.take !== null) {
      const { take } = this;
      this.take = null;
      take({ value: event, done: false });
      return;
    }
    this.waiting.push(event);
    if (this.waiting.length > MAX_WAITING) this.dropOne();
  }

  end(): void {
    this.isOver = true;
    this.take?.({ value: undefined, done: true });
    this.take = null;
  }

  next(): Promise<IteratorResult<ServerEvent>> {
    const event = this.waiting.shift();
    if (event !== undefined) return Promise.resolve({ value: event, done: false });
    if (this.isOver) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => (this.take = resolve));
  }

  return(): Promise<IteratorResult<ServerEvent>> {
    this.onReturn(this);
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  private dropOne(): void {
    for (const name of LOST_FIRST) {
      const at = this.waiting.findIndex(({ event }) => event === name);
      if (at >= 0) {
        this.waiting.splice(at, 1);
        return;
      }
    }
  }
}
