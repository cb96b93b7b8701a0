import { cancelled, SaccadeError } from '../errors/saccade-error.js';
import { Upstream } from './upstream-errors.js';

/** Lets a bounded number of requests through at once and a bounded number wait, in order of arrival. */
export class RequestGate {
  private open = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(
    private readonly maxConcurrent: number,
    private readonly maxQueued: number,
    private readonly upstream: Upstream,
  ) {}

  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.enter(signal);
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      // The place is handed on, so that a newcomer cannot slip in before the one that waited.
      if (next !== undefined) next();
      else this.open--;
    }
  }

  private enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw cancelled('The request');
    if (this.open < this.maxConcurrent) {
      this.open++;
      return Promise.resolve();
    }
    if (this.waiting.length >= this.maxQueued)
      throw new SaccadeError(
        'overloaded',
        `${this.upstream.name}_queue_full`,
        `${this.maxQueued} requests already wait for the ${this.upstream.label}. Try again later.`,
        { limit: this.maxQueued },
      );
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.waiting.splice(this.waiting.indexOf(admit), 1);
        reject(cancelled('The request'));
      };
      const admit = (): void => {
        signal.removeEventListener('abort', abort);
        resolve();
      };
      this.waiting.push(admit);
      signal.addEventListener('abort', abort, { once: true });
    });
  }
}
