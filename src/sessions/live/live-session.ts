import { SaccadeError } from '../../errors/saccade-error.js';
import { Frame } from '../../frames/frame.js';
import { matchSize } from '../../frames/match-size.js';
import { Size } from '../../frames/scaled-size.js';
import { toProblem } from '../../http/problem.js';
import { KeyframeDecision, KeyframeSelector, MotionStep } from '../../keyframes/keyframe-selector.js';
import { PerceptionPipeline } from '../../perception/perception-pipeline.js';
import { MemorySnapshot, ObservationMemory } from '../../reasoning/memory/observation-memory.js';
import { FrameOrder } from './frame-order.js';
import { FrameQueue, IncomingFrame } from './frame-queue.js';
import { KeyframeChain, ResumedChain } from './keyframe-chain.js';
import { LiveSessionRepository, lostSession } from './live-session.repository.js';
import { SessionClosed, SessionEvent, SessionListener, ThrottleData } from './session-events.js';

export interface LiveSessionOptions {
  credits: number;
  queueFrames: number;
  queueBytes: number;
  perceptionBacklog: number;
  /** Most lines of observations in a prompt. */
  maxFrames: number;
  encode: (frame: Frame) => Promise<Buffer>;
  shrink: (frame: Frame) => Promise<Buffer>;
}

/** What was kept of a session that goes on after it left the memory of its server. */
export interface ResumedSession {
  order: FrameOrder;
  chain: ResumedChain;
  memory: ObservationMemory;
  /** The last keyframe, which later frames are compared with. */
  keyframe: Frame;
  frameCount: number;
}

/** What is known at the moment of a question. */
export interface Settled {
  memory: MemorySnapshot;
  seenUntilMs: number;
}

/** The frame looked at last. */
interface Newest {
  frame: Frame;
  sequence: number;
  decision: KeyframeDecision;
  isKept: boolean;
  beforeMs: number;
}

/** Shapes this much alike are scaled onto each other. */
const SHAPE_TOLERANCE = 0.02;

/**
 * A stream of frames that is watched while it comes: each frame is decoded once, decided on, and perceived when it is
 * kept; all in order. It knows nothing of connections: whoever listens hears what happens.
 */
export class LiveSession {
  private readonly listeners = new Set<SessionListener>();
  private readonly stopped = new AbortController();
  private readonly queue: FrameQueue;
  private readonly order: FrameOrder;
  private readonly chain: KeyframeChain;
  private size: Size | null = null;
  private newest: Newest | null = null;
  /** Movement since the last keyframe. */
  private steps: MotionStep[] = [];
  private frameCount: number;
  private droppedTotal = 0;
  private isEnding = false;
  private finishing: Promise<SessionClosed> | null = null;

  constructor(
    readonly id: string,
    private readonly selector: KeyframeSelector,
    perception: PerceptionPipeline,
    private readonly repository: LiveSessionRepository,
    private readonly options: LiveSessionOptions,
    private readonly resumed: ResumedSession | null = null,
  ) {
    this.queue = new FrameQueue({ frames: options.queueFrames, bytes: options.queueBytes });
    this.order = resumed?.order ?? new FrameOrder();
    this.frameCount = resumed?.frameCount ?? 0;
    this.chain = new KeyframeChain(
      perception,
      repository,
      resumed?.memory ?? new ObservationMemory(options.maxFrames),
      {
        sessionId: id,
        encode: options.encode,
        shrink: options.shrink,
        backlog: options.perceptionBacklog,
        signal: this.stopped.signal,
        tell: (event, thumbnail) => this.tell(event, thumbnail),
        fail: (error) => void this.fail(error),
      },
      resumed?.chain ?? null,
    );
    this.run().catch((error: unknown) => this.fail(error));
  }

  /** Resolves when the session has ended; null when it is not ending. */
  get ending(): Promise<SessionClosed> | null {
    return this.finishing;
  }

  get nextSequence(): number {
    return this.order.nextSequence;
  }

  /** Time of the newest frame that came in. */
  get momentMs(): number {
    return Math.round(this.order.newestMs);
  }

  /** Aborted when the session ends. */
  get ended(): AbortSignal {
    return this.stopped.signal;
  }

  get counts(): { frame_count: number; keyframe_count: number; seen_until_ms: number } {
    return {
      frame_count: this.frameCount,
      keyframe_count: this.chain.keyframeCount,
      seen_until_ms: this.seenUntilMs,
    };
  }

  /** Time of the newest frame up to which everything was perceived. */
  private get seenUntilMs(): number {
    return Math.round(this.chain.perceivedUntilMs ?? this.newestMs);
  }

  private get newestMs(): number {
    return this.newest?.frame.timestampMs ?? this.resumed?.keyframe.timestampMs ?? 0;
  }

  /** @returns how to stop listening */
  subscribe(listener: SessionListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** @throws SaccadeError when the frame cannot come after those before it */
  push(frame: IncomingFrame): void {
    if (this.finishing !== null)
      throw new SaccadeError(
        'conflict',
        'session_closing',
        'The session is being closed and takes no more frames.',
      );
    this.order.admit(frame);
    const dropped = this.queue.push(frame).map(({ sequence }) => sequence);
    if (dropped.length > 0) this.dropped('queue', dropped);
  }

  /** Resolves when fewer frames wait, or the session ends. */
  queuedBelow(count: number): Promise<void> {
    return this.queue.below(count);
  }

  /** Counts and tells frames that are not looked at. */
  dropped(reason: ThrottleData['reason'], dropped: number[]): void {
    this.droppedTotal += dropped.length;
    this.tell({
      event: 'throttle',
      data: {
        reason,
        dropped,
        dropped_total: this.droppedTotal,
        credits: this.options.credits,
      },
    });
  }

  /**
   * What is known once everything that came before this call is perceived. The newest frame becomes a keyframe, so that
   * the last movement counts.
   */
  settle(): Promise<Settled> {
    return new Promise((resolve) => {
      this.queue.mark(async () => {
        await this.keepNewest('question');
        const seenUntilMs = Math.round(this.newestMs);
        void this.chain.after(() => resolve({ memory: this.chain.memory.snapshot(), seenUntilMs }));
      });
    });
  }

  /** What is known without waiting. */
  known(): Settled {
    return { memory: this.chain.memory.snapshot(), seenUntilMs: this.seenUntilMs };
  }

  /** Resolves when there is a new percept, or the session ends. */
  progress(): Promise<void> {
    return this.chain.progress();
  }

  /**
   * Looks at what waits, keeps the last frame, and ends. Calls after the first get the same.
   * @param conclude what is to be done once all was seen
   */
  finish(reason: SessionClosed['reason'], conclude: () => Promise<void>): Promise<SessionClosed> {
    this.finishing ??= new Promise((resolve) => {
      this.stopped.signal.addEventListener('abort', () => resolve(this.closed(reason)), { once: true });
      this.queue.mark(async () => {
        await this.keepNewest('last');
        void this.chain.after(() => void conclude().finally(() => this.end(reason)));
      });
    });
    return this.finishing;
  }

  /** Ends at once; what waits is not looked at. */
  async abandon(reason: SessionClosed['reason']): Promise<SessionClosed> {
    this.finishing = this.end(reason);
    return this.finishing;
  }

  tell(event: SessionEvent, thumbnail?: Buffer): void {
    for (const listener of [...this.listeners]) listener(event, thumbnail);
  }

  private async run(): Promise<void> {
    if (this.resumed !== null) await this.selector.decide(this.resumed.keyframe, this.stopped.signal);
    while (!this.stopped.signal.aborted) {
      await this.chain.room();
      const item = await this.queue.take();
      if (this.stopped.signal.aborted) return;
      if ('mark' in item) await item.mark();
      else await this.look(item.frame);
    }
  }

  private async look(incoming: IncomingFrame): Promise<void> {
    const { sequence, timestampUs } = incoming;
    try {
      const rgb = await this.decode(incoming);
      const timestampMs = this.order.timestampMs(timestampUs);
      const frame: Frame = { index: this.frameCount, timestampMs, ...this.size!, rgb };
      const decision = await this.selector.decide(frame, this.stopped.signal);
      this.frameCount++;
      if (decision.step !== null) this.steps.push(decision.step);
      const beforeMs = this.frameCount === 1 ? timestampMs : this.newestMs;
      this.newest = { frame, sequence, decision, isKept: false, beforeMs };
      if (decision.keep) await this.keepNewest(decision.reason);
      this.tell({
        event: 'ack',
        data: {
          sequence,
          timestamp_ms: Math.round(timestampMs),
          kept: decision.keep,
          reason: decision.reason,
          overlap_ratio: decision.overlapRatio,
          credits: this.options.credits,
        },
      });
    } catch (error) {
      if (this.stopped.signal.aborted) return;
      // A picture that cannot be read, or a worker that died, costs this frame only.
      if (!(error instanceof SaccadeError)) throw error;
      this.tell({ event: 'error', data: { ...toProblem(error), sequence } });
    }
  }

  /** The picture in the session's size, which is that of its first frame. */
  private async decode({ sequence, decode }: IncomingFrame): Promise<Uint8Array> {
    const { rgb, ...size } = await decode();
    this.size ??= this.resumed?.keyframe ?? size;
    const { width, height } = this.size;
    const stretch = (size.width / size.height) * (height / width);
    if (Math.abs(stretch - 1) > SHAPE_TOLERANCE)
      throw new SaccadeError(
        'input',
        'frame_size_changed',
        `Frame ${sequence} is ${size.width}×${size.height} and the session's frames are ${width}×${height}. Another size of the same shape is scaled; for another shape open a new session.`,
        { field: 'picture', limit: `${width}×${height}` },
      );
    this.size = { width, height };
    return matchSize(rgb, size, this.size);
  }

  private async keepNewest(reason: KeyframeDecision['reason']): Promise<void> {
    const { newest } = this;
    if (newest === null || newest.isKept) return;
    newest.isKept = true;
    if (!newest.decision.keep) this.selector.keepNewest();
    const steps = this.steps;
    this.steps = [];
    const startTimestampUs = this.order.startTimestampUs!;
    await this.chain.add({ ...newest, reason, steps, seenBeforeMs: newest.beforeMs, startTimestampUs });
  }

  private closed(reason: SessionClosed['reason']): SessionClosed {
    return { session_id: this.id, reason, ...this.counts };
  }

  private async end(reason: SessionClosed['reason']): Promise<SessionClosed> {
    const closed = this.closed(reason);
    if (this.isEnding) return closed;
    this.isEnding = true;
    if (reason !== 'deleted')
      await this.repository
        .finish(this.id, { durationMs: closed.seen_until_ms, frameCount: this.frameCount })
        .catch(() => undefined); // an unreachable database: the next start marks it as finished
    this.stopped.abort();
    this.chain.release();
    this.queue.release();
    this.queue.mark(async () => undefined); // wakes the loop, which then ends
    this.selector.close();
    this.tell({ event: 'session.closed', data: closed });
    return closed;
  }

  private async fail(error: unknown): Promise<void> {
    if (this.isEnding) return;
    this.tell({ event: 'error', data: toProblem(lostSession(error, this.id) ?? error) });
    await this.abandon('failed');
  }
}
