import { AskedQuestion } from './asked-question.js';
import { SaccadeClientError } from './client-error.js';
import { Connection, ConnectionOptions, ConnectionState, OpeningMessage } from './connection.js';
import { EventFeed } from './event-feed.js';
import {
  Question,
  ServerEvent,
  ServerEventName,
  ServerEvents,
  SessionClosed,
  SessionReady,
} from './events.js';
import { encodeFrame } from './frame-message.js';
import { Outbox, SentFrame } from './outbox.js';

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
  private readonly outbox: Outbox;
  private session: SessionReady | null = null;
  private isOpen = false;
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
    this.outbox = new Outbox(options.replayBufferBytes ?? DEFAULT_REPLAY_BYTES, {
      frame: (header, picture) => this.connection.sendBinary(encodeFrame(header, picture)),
      question: ({ id, question }) => {
        if (this.questions.has(id)) this.connection.send('ask', { ...question, question_id: id });
      },
      close: () => this.connection.send('session.close', {}),
    });
    this.connection = new Connection(url, options, {
      opening: () =>
        this.session === null || first.event === 'session.observe'
          ? first
          : { event: 'session.resume', data: { session_id: this.session.session_id } },
      ready: (ready) => this.ready(ready),
      event: (event) => this.hear(event),
      state: (state) => {
        this.isOpen = state === 'open';
        if (!this.isOpen) this.outbox.pause();
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
    while (!this.outbox.hasCredit) {
      if (this.failure !== null) throw this.failure;
      await this.outbox.change();
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
    return this.outbox.addFrame(timestampUs, options.key, bytes);
  }

  /** Asks about what was seen up to now. */
  ask(question: string | Question, id = `q${++this.questionCount}`): AskedQuestion {
    const whole = typeof question === 'string' ? { question } : question;
    const asked = new AskedQuestion(id, whole, this.outbox.lastSequence, () => this.cancel(id));
    if (this.failure !== null) {
      asked.settle(this.failure);
      return asked;
    }
    this.questions.set(id, asked);
    this.outbox.addQuestion(asked);
    return asked;
  }

  /** Ends the session in order: everything sent is looked at, open questions are answered. */
  async close(): Promise<SessionClosed> {
    if (this.failure !== null) throw this.failure;
    const closed = new Promise<SessionClosed>((resolve, reject) => (this.closing = { resolve, reject }));
    this.outbox.addClose();
    return closed;
  }

  /** Drops the connection; the session can be resumed. */
  disconnect(): void {
    this.connection.end(new SaccadeClientError('disconnected', 'The stream was disconnected.'));
  }

  /** Where there is no connection to tell it over, the question is simply not asked again. */
  private cancel(id: string): void {
    if (this.isOpen) this.connection.send('cancel', { question_id: id });
    else this.settleQuestion(id, new SaccadeClientError('cancelled', `Question ${id} was cancelled.`));
  }

  private ready(ready: SessionReady): void {
    this.session = ready;
    this.outbox.begin(ready, [...this.questions.values()]);
    this.opened.resolve();
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
        this.outbox.settle({ sequence, status: kept ? 'kept' : 'skipped', ack: event.data });
        break;
      }
      case 'throttle':
        for (const sequence of event.data.dropped)
          this.outbox.settle({ sequence, status: 'dropped', reason: event.data.reason });
        break;
      case 'percept':
        this.outbox.stored(event.data.sequence);
        break;
      case 'error': {
        const { sequence, question_id: id } = event.data;
        const error = SaccadeClientError.of(event.data);
        if (sequence !== undefined) this.outbox.settle({ sequence, status: 'refused', error });
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

  private settleQuestion(id: string, result: Parameters<AskedQuestion['settle']>[0]): void {
    this.questions.get(id)?.settle(result);
    this.questions.delete(id);
  }

  private closed(why: SaccadeClientError | null): void {
    const ended = `The session has ended: ${this.ended?.reason ?? 'closed'}.`;
    const hasEnded = why === null || (this.ended !== null && this.ended.reason !== 'server_stopping');
    this.failure = hasEnded ? new SaccadeClientError('session_closed', ended) : why;
    this.opened.reject(this.failure);
    this.outbox.fail(this.failure);
    for (const id of [...this.questions.keys()]) this.settleQuestion(id, this.failure);
    this.closing?.reject(this.failure);
    this.feeds.forEach((feed) => feed.end());
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
