import { createHash, timingSafeEqual } from 'node:crypto';
import { WebSocket } from 'ws';
import { SaccadeError } from '../errors/saccade-error.js';
import { shrinkJpeg } from '../frames/encode-jpeg.js';
import { ImageLimits } from '../frames/image-decoder.js';
import { toProblem } from '../http/problem.js';
import { viewKeyframe, viewPercept } from '../reason/keyframe-json.js';
import { LiveSessionRepository } from '../sessions/live/live-session.repository.js';
import { Feeder, Held, LiveSessions } from '../sessions/live/live-sessions.js';
import { SessionClosed, SessionEvent, StreamError } from '../sessions/live/session-events.js';
import { SessionQuestion } from '../sessions/live/session-questions.js';
import { CLOSE, CloseCode } from './close-codes.js';
import { readyData, StreamLimits } from './session-ready.js';
import { parseFrameMessage } from './frame-message.js';
import { incomingFrame } from './picture.js';
import { RateLimit } from './rate-limit.js';
import {
  alreadyOpen,
  closeCodeOf,
  noSession,
  notLive,
  onlyObserves,
  openTimeout,
  rateExceeded,
  sessionIdle,
  takenOver,
  tooManyErrors,
  tooManyObservers,
  wrongToken,
} from './stream-errors.js';

export interface StreamOptions {
  limits: StreamLimits;
  picture: ImageLimits;
  credits: number;
  idleMs: number;
  pingMs: number;
  maxObservers: number;
  observerToken: string | null;
}

/** Longest time for the first message. */
const OPEN_TIMEOUT_MS = 10_000;
const MAX_UNSENT_BYTES = 4_194_304;
const MAX_ERRORS_PER_MINUTE = 100;
/** Keyframes that an observer is told of that were there before. */
const HISTORY = 32;

const CLOSE_OF_SESSION: Record<SessionClosed['reason'], CloseCode> = {
  closed: CLOSE.normal,
  left: CLOSE.normal,
  too_old: CLOSE.tooOld,
  deleted: CLOSE.noSuchSession,
  server_stopping: CLOSE.goingAway,
  failed: CLOSE.internal,
};

type Link = { held: Held; role: 'agent' | 'observer'; unsubscribe: () => void };

/** One WebSocket connection: feeds or follows one session. Whatever goes wrong is answered by an error event. */
export class StreamConnection implements Feeder {
  private link: Link | null = null;
  private isOpening = false;
  private isAlive = true;
  private lastMessageMs = performance.now();
  private errorCount = 0;
  private errorWindowMs = performance.now();
  private readonly frameRate: RateLimit;
  private readonly byteRate: RateLimit;
  private readonly timer: NodeJS.Timeout;
  private readonly openTimer: NodeJS.Timeout;

  constructor(
    private readonly socket: WebSocket,
    private readonly sessions: LiveSessions,
    private readonly repository: LiveSessionRepository,
    /** Observers of each session. */
    private readonly observers: Map<string, number>,
    private readonly options: StreamOptions,
  ) {
    this.frameRate = new RateLimit(options.limits.max_fps);
    this.byteRate = new RateLimit(options.limits.max_bytes_per_s);
    socket.on('pong', () => (this.isAlive = true));
    socket.on('message', () => this.heard());
    this.timer = setInterval(() => this.checkAlive(), options.pingMs);
    const openMs = Math.min(OPEN_TIMEOUT_MS, options.idleMs);
    this.openTimer = setTimeout(() => this.refuse(openTimeout(openMs), CLOSE.idle), openMs);
  }

  async open(): Promise<void> {
    await this.begin(async () => {
      const held = await this.sessions.open('stream', this);
      this.feed(held, false);
    });
  }

  async resume(sessionId: string): Promise<void> {
    await this.begin(async () => {
      const held = await this.sessions.resume(sessionId, this);
      this.feed(held, true);
    });
  }

  async observe(sessionId: string, wantsThumbnails: boolean, token: string | null): Promise<void> {
    await this.begin(async () => {
      this.checkToken(token);
      const held = this.sessions.find(sessionId);
      if (held === null) throw notLive(sessionId);
      this.countObserver(sessionId);
      await this.follow(held, wantsThumbnails);
    });
  }

  frame(message: Buffer): void {
    this.guard(() => {
      const { session } = this.agent().held;
      const frame = parseFrameMessage(message);
      this.guard(
        () => {
          const incoming = incomingFrame(frame, this.options.picture);
          const isInRate = this.frameRate.take(1);
          const isInBytes = this.byteRate.take(message.length);
          if (this.frameRate.isAbused || this.byteRate.isAbused) throw rateExceeded(this.options.limits);
          if (isInRate && isInBytes) session.push(incoming);
          else session.dropped(isInRate ? 'byte_rate' : 'frame_rate', [frame.sequence]);
        },
        { sequence: frame.sequence },
      );
    });
  }

  ask(question: SessionQuestion): void {
    this.guard(() => this.agent().held.questions.ask(question), { question_id: question.questionId });
  }

  cancel(questionId: string): void {
    this.guard(() => this.agent().held.questions.cancel(questionId), { question_id: questionId });
  }

  close(): void {
    this.guard(() => void this.sessions.finish(this.agent().held.session.id, 'closed'));
  }

  /** Answers what the work throws by an error event. */
  guard(work: () => void, about: Partial<StreamError> = {}): void {
    try {
      work();
    } catch (error) {
      this.tellError(error, about);
    }
  }

  send(event: string, data: object): void {
    if (this.socket.readyState !== WebSocket.OPEN) return;
    this.socket.send(JSON.stringify({ event, data }));
    if (this.socket.bufferedAmount > MAX_UNSENT_BYTES) this.end(CLOSE.slowReader, 'slow_reader');
  }

  takenOver(): void {
    this.refuse(takenOver(), CLOSE.takenOver);
    this.leave();
  }

  /** The connection is gone. */
  gone(): void {
    clearInterval(this.timer);
    clearTimeout(this.openTimer);
    const link = this.leave();
    if (link?.role === 'agent') this.sessions.leave(link.held.session.id, this);
  }

  private async begin(open: () => Promise<void>): Promise<void> {
    try {
      if (this.link !== null || this.isOpening) throw alreadyOpen();
      this.isOpening = true;
      clearTimeout(this.openTimer);
      await open();
    } catch (error) {
      const code = closeCodeOf(error);
      if (code === null || this.link !== null) this.tellError(error);
      else this.refuse(error, code);
    } finally {
      this.isOpening = false;
    }
  }

  private feed(held: Held, resumed: boolean): void {
    this.start(held, 'agent', resumed);
    const { session } = held;
    this.link!.unsubscribe = session.subscribe((event) => this.hear(event));
    // It may have gone while the session was being opened.
    if (this.socket.readyState !== WebSocket.OPEN) this.sessions.leave(session.id, this);
  }

  /** What there was before, then what happens, without a gap and without a repetition. */
  private async follow(held: Held, wantsThumbnails: boolean): Promise<void> {
    const { session } = held;
    let waiting: { event: SessionEvent; thumbnail?: Buffer }[] | null = [];
    const hear = (event: SessionEvent, thumbnail?: Buffer) =>
      this.hear(event, wantsThumbnails ? thumbnail : undefined);
    this.start(held, 'observer', true);
    this.link!.unsubscribe = session.subscribe((event, thumbnail) => {
      if (waiting === null) hear(event, thumbnail);
      else waiting.push({ event, thumbnail });
    });
    const told = new Set<string>();
    for (const row of await this.repository.newest(session.id, HISTORY)) {
      const place = { sequence: Number(row.sequence ?? row.frameIndex) };
      told.add(row.id);
      hear(
        { event: 'keyframe', data: { ...viewKeyframe(row), ...place } },
        wantsThumbnails ? await shrinkJpeg(row.jpeg) : undefined,
      );
      const percept = viewPercept(row.id, { percept: row.percept, cached: false }, null);
      hear({
        event: 'percept',
        data: { ...percept, ...place, index: row.index, timestamp_ms: row.timestampMs },
      });
    }
    for (const { event, thumbnail } of waiting) if (!isAbout(event, told)) hear(event, thumbnail);
    waiting = null;
  }

  private start(held: Held, role: Link['role'], resumed: boolean): void {
    this.link = { held, role, unsubscribe: () => undefined };
    const { credits, limits } = this.options;
    this.send('session.ready', readyData(held.session, role, resumed, credits, limits));
  }

  private hear({ event, data }: SessionEvent, thumbnail?: Buffer): void {
    const picture =
      thumbnail === undefined ? {} : { thumbnail: `data:image/jpeg;base64,${thumbnail.toString('base64')}` };
    this.send(event, { ...data, ...picture });
    if (event === 'session.closed') this.end(CLOSE_OF_SESSION[data.reason], data.reason);
  }

  /** @throws SaccadeError when the connection does not feed a session */
  private agent(): Link {
    if (this.link === null) throw noSession();
    if (this.link.role === 'observer') throw onlyObserves();
    return this.link;
  }

  private heard(): void {
    this.isAlive = true;
    this.lastMessageMs = performance.now();
  }

  private checkAlive(): void {
    if (!this.isAlive) {
      this.socket.terminate(); // half open: the other side will not hear a close
      return;
    }
    const isIdle = performance.now() - this.lastMessageMs > this.options.idleMs;
    if (isIdle && this.link?.role === 'agent') {
      this.refuse(sessionIdle(this.options.idleMs), CLOSE.idle);
      return;
    }
    this.isAlive = false;
    this.socket.ping();
  }

  private checkToken(token: string | null): void {
    const { observerToken } = this.options;
    if (observerToken === null) return;
    const digest = (text: string) => createHash('sha256').update(text).digest();
    if (token !== null && timingSafeEqual(digest(token), digest(observerToken))) return;
    throw wrongToken();
  }

  private countObserver(sessionId: string): void {
    const { maxObservers } = this.options;
    const count = this.observers.get(sessionId) ?? 0;
    if (count >= maxObservers) throw tooManyObservers(maxObservers);
    this.observers.set(sessionId, count + 1);
  }

  private leave(): Link | null {
    const { link } = this;
    if (link === null) return null;
    this.link = null;
    link.unsubscribe();
    const { id } = link.held.session;
    if (link.role === 'observer') {
      const left = (this.observers.get(id) ?? 1) - 1;
      if (left > 0) this.observers.set(id, left);
      else this.observers.delete(id);
    }
    return link;
  }

  private tellError(error: unknown, about: Partial<StreamError> = {}): void {
    const code = error instanceof SaccadeError && error.code === 'rate_exceeded' ? CLOSE.rateExceeded : null;
    if (code !== null) return this.refuse(error, code);
    this.send('error', { ...toProblem(error), ...about });
    const nowMs = performance.now();
    if (nowMs - this.errorWindowMs > 60_000) {
      this.errorWindowMs = nowMs;
      this.errorCount = 0;
    }
    if (++this.errorCount >= MAX_ERRORS_PER_MINUTE)
      this.refuse(tooManyErrors(MAX_ERRORS_PER_MINUTE), CLOSE.tooManyErrors);
  }

  /** Tells the error and closes. */
  private refuse(error: unknown, code: CloseCode): void {
    const problem = toProblem(error);
    this.send('error', problem);
    this.end(code, problem.code);
  }

  private end(code: CloseCode, reason: string): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.close(code, reason);
  }
}

function isAbout(event: SessionEvent, keyframeIds: ReadonlySet<string>): boolean {
  if (event.event === 'keyframe') return keyframeIds.has(event.data.id);
  return event.event === 'percept' && keyframeIds.has(event.data.keyframe_id);
}
