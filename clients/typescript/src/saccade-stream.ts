import { AskedQuestion } from './asked-question.js';
import { SaccadeClientError } from './client-error.js';
import { Connection, ConnectionOptions, ConnectionState, OpeningMessage } from './connection.js';
import { EventFeed } from './event-feed.js';
import {
  Ack,
  Question,
  ServerEvent,
  ServerEventName,
  ServerEvents,
  SessionClosed,
  SessionReady,
  Throttle,
} from './events.js';
import { encodeFrame, FrameHeader } from './frame-message.js';
import { BufferedFrame, ReplayBuffer } from './replay-buffer.js';

export interface StreamOptions extends ConnectionOptions {
  /** Bytes of sent frames that are kept in case the server asks for them again; 16 MiB by default. */
  replayBufferBytes?: number;
}

export interface FrameOptions {
  /** Capture time; the platform's clock when missing. */
  timestampUs?: number;
  /** Dropped last when frames must be dropped. */
  key?: boolean;
}

/** What became of a frame. */
export type FrameOutcome =
  | { sequence: number; status: 'kept' | 'skipped'; ack: Ack }
  | { sequence: number; status: 'dropped'; reason: Throttle['reason'] }
  | { sequence: number; status: 'refused'; error: SaccadeClientError }
  /** The server has it, but its reply was lost with a connection. */
  | { sequence: number; status: 'unknown' };

export interface SentFrame {
  sequence: number;
  /** Never rejects for one frame's sake; rejects when the connection is gone for good. */
  outcome: Promise<FrameOutcome>;
}

interface OpenFrame {
  resolve: (outcome: FrameOutcome) => void;
  reject: (error: SaccadeClientError) => void;
}

type Handler<Name extends ServerEventName> = (data: ServerEvents[Name]) => void;

const DEFAULT_REPLAY_BYTES = 16_777_216;

/**
 * A live session: sends frames, asks questions, tells what happens. It connects again when the connection breaks, goes
 * on with the session, sends again what the server lacks and asks again what is open.
 */
export class SaccadeStream {
  private readonly connection: Connection;
  private readonly handlers = new Map<ServerEventName, Set<(data: never) => void>>();
  private readonly stateHandlers = new Set<(state: ConnectionState) => void>();
  private readonly feeds = new Set<EventFeed>();
  private readonly questions = new Map<string, AskedQuestion>();
  /** Questions to be asked once the frames before them are sent. */
  private toAsk: AskedQuestion[] = [];
  /** Frames that were not answered yet, by sequence. */
  private readonly open = new Map<number, OpenFrame>();
  /** Sent on the present connection and not answered. */
  private readonly unanswered = new Set<number>();
  private readonly buffer: ReplayBuffer;
  private toSend: BufferedFrame[] = [];
  private readonly sendersWaiting: (() => void)[] = [];
  private session: SessionReady | null = null;
  private isReady = false;
  private isCloseSent = false;
  private nextSequence = 0;
  private lastTimestampUs = -1;
  private questionCount = 0;
  private failure: SaccadeClientError | null = null;
  private ended: SessionClosed | null = null;
  private closing: { resolve: (closed: SessionClosed) => void; reject: (error: Error) => void } | null = null;
  private opened!: { resolve: () => void; reject: (error: SaccadeClientError) => void };

  /** Begins a session. @param url such as `ws://127.0.0.1:3000/stream` */
  static open(url: string, options: StreamOptions = {}): Promise<SaccadeStream> {
    return SaccadeStream.begin(url, options, { event: 'session.open', data: {} });
  }

  /** Goes on with a session. */
  static resume(url: string, sessionId: string, options: StreamOptions = {}): Promise<SaccadeStream> {
    return SaccadeStream.begin(url, options, { event: 'session.resume', data: { session_id: sessionId } });
  }

  /** Follows a session that somebody else feeds. */
  static observe(
    url: string,
    sessionId: string,
    { thumbnails, token, ...options }: StreamOptions & { thumbnails?: boolean; token?: string } = {},
  ): Promise<SaccadeStream> {
    const data = { session_id: sessionId, ...(thumbnails && { thumbnails }), ...(token && { token }) };
    return SaccadeStream.begin(url, options, { event: 'session.observe', data });
  }

  private static async begin(
    url: string,
    options: StreamOptions,
    first: OpeningMessage,
  ): Promise<SaccadeStream> {
    const stream = new SaccadeStream(url, options, first);
    const opened = new Promise<void>((resolve, reject) => (stream.opened = { resolve, reject }));
    await stream.connection.start();
    await opened;
    return stream;
  }

  private constructor(url: string, options: StreamOptions, first: OpeningMessage) {
    this.buffer = new ReplayBuffer(options.replayBufferBytes ?? DEFAULT_REPLAY_BYTES);
    this.connection = new Connection(url, options, {
      opening: () =>
        this.session === null || first.event === 'session.observe'
          ? first
          : { event: 'session.resume', data: { session_id: this.session.session_id } },
      ready: (ready) => this.ready(ready),
      event: (event) => this.hear(event),
      state: (state) => {
        this.isReady &&= state === 'open';
        this.stateHandlers.forEach((handler) => handler(state));
      },
      closed: (why) => this.closed(why),
    });
  }

  get sessionId(): string {
    return this.session!.session_id;
  }

  get limits(): SessionReady['limits'] {
    return this.session!.limits;
  }

  /** Calls the handler with each event of the name. @returns how to stop */
  on<Name extends ServerEventName>(event: Name, handler: Handler<Name>): () => void {
    const handlers = this.handlers.get(event) ?? new Set();
    this.handlers.set(event, handlers.add(handler as (data: never) => void));
    return () => handlers.delete(handler as (data: never) => void);
  }

  onConnection(handler: (state: ConnectionState) => void): () => void {
    this.stateHandlers.add(handler);
    return () => this.stateHandlers.delete(handler);
  }

  /** Every event from now on, until the session ends. A slow reader loses the oldest acks first, never answers. */
  events(): AsyncIterableIterator<ServerEvent> {
    const feed = new EventFeed((ended) => this.feeds.delete(ended));
    if (this.failure !== null) feed.end();
    else this.feeds.add(feed);
    return feed;
  }

  /** Resolves when a frame may be sent: the server has answered enough of those before. */
  async credit(): Promise<void> {
    while (!this.mayQueue()) {
      if (this.failure !== null) throw this.failure;
      await new Promise<void>((resolve) => this.sendersWaiting.push(resolve));
    }
  }

  /**
   * Sends a frame once there is credit for it. Await it before the next frame; a camera that is faster than the server
   * should leave frames out rather than queue them.
   * @param picture an encoded JPEG, PNG or WebP
   */
  async sendFrame(picture: Uint8Array | ArrayBuffer | Blob, options: FrameOptions = {}): Promise<SentFrame> {
    const bytes = await bytesOf(picture);
    await this.credit();
    if (this.failure !== null) throw this.failure;
    const timestampUs = options.timestampUs ?? this.now();
    this.lastTimestampUs = timestampUs;
    const sequence = this.nextSequence++;
    const frame: BufferedFrame = { sequence, timestampUs, key: options.key, picture: bytes };
    const outcome = new Promise<FrameOutcome>((resolve, reject) =>
      this.open.set(sequence, { resolve, reject }),
    );
    outcome.catch(() => undefined); // whoever awaits it hears of it
    this.buffer.add(frame);
    this.toSend.push(frame);
    this.pump();
    return { sequence, outcome };
  }

  /** Asks about what was seen up to now. */
  ask(question: string | Question, id = `q${++this.questionCount}`): AskedQuestion {
    const whole = typeof question === 'string' ? { question } : question;
    const asked = new AskedQuestion(id, whole, this.nextSequence - 1, () =>
      this.connection.send('cancel', { question_id: id }),
    );
    if (this.failure !== null) {
      asked.settle(this.failure);
      return asked;
    }
    this.questions.set(id, asked);
    this.toAsk.push(asked);
    this.pump();
    return asked;
  }

  /** Ends the session in order: everything sent is looked at, open questions are answered. */
  async close(): Promise<SessionClosed> {
    if (this.failure !== null) throw this.failure;
    const closed = new Promise<SessionClosed>((resolve, reject) => (this.closing = { resolve, reject }));
    this.sendClose();
    return closed;
  }

  /** Drops the connection; the session can be resumed. */
  disconnect(): void {
    this.connection.end(new SaccadeClientError('disconnected', 'The stream was disconnected.'));
  }

  private ready(ready: SessionReady): void {
    this.session = ready;
    this.isReady = true;
    this.isCloseSent = false;
    this.nextSequence = Math.max(this.nextSequence, ready.next_sequence);
    this.unanswered.clear();
    this.toSend = this.buffer.from(ready.next_sequence);
    const again = new Set(this.toSend.map(({ sequence }) => sequence));
    for (const sequence of [...this.open.keys()])
      if (!again.has(sequence)) this.settle({ sequence, status: 'unknown' });
    this.toAsk = [...this.questions.values()];
    this.pump();
    this.opened.resolve();
  }

  private pump(): void {
    this.sendQuestions();
    while (this.isReady && this.toSend.length > 0 && this.unanswered.size < this.session!.credits) {
      const { picture, ...header } = this.toSend.shift()!;
      this.unanswered.add(header.sequence);
      this.connection.sendBinary(encodeFrame(header as FrameHeader, picture));
      this.sendQuestions();
    }
    if (this.closing !== null) this.sendClose();
    if (this.mayQueue()) this.sendersWaiting.splice(0).forEach((resolve) => resolve());
  }

  /** What was seen until the question counts, so the frames before it go first. */
  private sendQuestions(): void {
    if (!this.isReady) return;
    const next = this.toSend[0]?.sequence ?? Infinity;
    const due = this.toAsk.filter(({ afterSequence }) => afterSequence < next);
    this.toAsk = this.toAsk.filter(({ afterSequence }) => afterSequence >= next);
    for (const asked of due)
      if (this.questions.has(asked.id))
        this.connection.send('ask', { ...asked.question, question_id: asked.id });
  }

  /** Once on each connection, after every frame. */
  private sendClose(): void {
    if (!this.isReady || this.isCloseSent || this.toSend.length > 0) return;
    this.isCloseSent = true;
    this.connection.send('session.close', {});
  }

  private mayQueue(): boolean {
    return this.isReady && this.toSend.length === 0 && this.unanswered.size < this.session!.credits;
  }

  private hear(event: ServerEvent): void {
    this.account(event);
    this.handlers.get(event.event)?.forEach((handler) => handler(event.data as never));
    this.feeds.forEach((feed) => feed.push(event));
    if (event.event === 'session.closed') {
      this.ended = event.data;
      this.closing?.resolve(event.data);
    }
  }

  private account(event: ServerEvent): void {
    switch (event.event) {
      case 'ack': {
        const { sequence, kept } = event.data;
        this.settle({ sequence, status: kept ? 'kept' : 'skipped', ack: event.data });
        break;
      }
      case 'throttle':
        for (const sequence of event.data.dropped)
          this.settle({ sequence, status: 'dropped', reason: event.data.reason });
        break;
      case 'percept':
        this.buffer.forget(event.data.sequence);
        break;
      case 'error': {
        const { sequence, question_id: id } = event.data;
        const error = SaccadeClientError.of(event.data);
        if (sequence !== undefined) this.settle({ sequence, status: 'refused', error });
        if (id !== undefined) this.settleQuestion(id, error);
        break;
      }
      case 'answer.delta':
      case 'answer.wait':
        this.questions.get(event.data.question_id)?.tell(event);
        break;
      case 'answer':
        this.settleQuestion(event.data.question_id, event.data);
        break;
      case 'question.ended': {
        const { question_id: id, reason } = event.data;
        this.settleQuestion(
          id,
          new SaccadeClientError(reason, `Question ${id} ended without an answer: ${reason}.`),
        );
      }
    }
  }

  private settle(outcome: FrameOutcome): void {
    this.open.get(outcome.sequence)?.resolve(outcome);
    this.open.delete(outcome.sequence);
    if (this.unanswered.delete(outcome.sequence)) this.pump();
  }

  private settleQuestion(id: string, result: Parameters<AskedQuestion['settle']>[0]): void {
    this.questions.get(id)?.settle(result);
    this.questions.delete(id);
  }

  private closed(why: SaccadeClientError | null): void {
    const ended = `The session has ended: ${this.ended?.reason ?? 'closed'}.`;
    const hasEnded = why === null || (this.ended !== null && this.ended.reason !== 'server_stopping');
    this.failure = hasEnded ? new SaccadeClientError('session_closed', ended) : why;
    this.opened.reject(this.failure);
    this.open.forEach(({ reject }) => reject(this.failure!));
    this.open.clear();
    for (const id of [...this.questions.keys()]) this.settleQuestion(id, this.failure);
    this.closing?.reject(this.failure);
    this.feeds.forEach((feed) => feed.end());
    this.sendersWaiting.splice(0).forEach((resolve) => resolve());
  }

  /** Rises, also when two frames are sent within the clock's resolution, and over a restart of this program. */
  private now(): number {
    return Math.max(
      this.lastTimestampUs + 1,
      Math.round((performance.timeOrigin + performance.now()) * 1000),
    );
  }
}

async function bytesOf(picture: Uint8Array | ArrayBuffer | Blob): Promise<Uint8Array> {
  if (picture instanceof Uint8Array) return picture;
  return new Uint8Array(picture instanceof ArrayBuffer ? picture : await picture.arrayBuffer());
}
