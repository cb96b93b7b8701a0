import { v7 as uuidv7 } from 'uuid';
import { unreachableDatabase } from '../../database/unreachable.js';
import { SaccadeError } from '../../errors/saccade-error.js';
import { Frame } from '../../frames/frame.js';
import { KeyframeDecision, KeyframeReason, MotionStep } from '../../keyframes/keyframe-selector.js';
import { toProblem } from '../../http/problem.js';
import {
  CachedPerception,
  PairInput,
  PerceivingPair,
  PerceptionPipeline,
} from '../../perception/perception-pipeline.js';
import { viewKeyframe, viewPercept } from '../../reason/keyframe-json.js';
import { decodeKeyframe } from '../../reason/video-watcher.js';
import { ObservationMemory } from '../../reasoning/memory/observation-memory.js';
import { pause, retryUntil } from './retry-until.js';
import { LiveSessionRepository } from './live-session.repository.js';
import { SessionEvent } from './session-events.js';

/** A frame that becomes a keyframe. */
export interface KeptFrame {
  frame: Frame;
  sequence: number;
  decision: KeyframeDecision;
  reason: KeyframeReason;
  /** Movement since the keyframe before, in order. */
  steps: readonly MotionStep[];
  /** Time of the last frame before it, or its own when it is the first. */
  seenBeforeMs: number;
  /** Capture time of the session's first frame. */
  startTimestampUs: number;
}

export interface KeyframeChainOptions {
  sessionId: string;
  encode: (frame: Frame) => Promise<Buffer>;
  /** A small picture of it for observers. */
  shrink: (frame: Frame) => Promise<Buffer>;
  /** Keyframes that may wait for their percept. */
  backlog: number;
  signal: AbortSignal;
  tell: (event: SessionEvent, thumbnail?: Buffer) => void;
  /** What cannot go on. */
  fail: (error: unknown) => void;
}

/** Where a chain goes on that was begun before. */
export interface ResumedChain {
  nextIndex: number;
  previous: PerceivingPair;
}

const OVERLOAD_TRIES = 6;

/**
 * The keyframes of one live session. Pairs are perceived at once and overlap; their percepts are stored, remembered and
 * told in order, each once. Nothing is told before it is stored.
 */
export class KeyframeChain {
  private nextIndex: number;
  private previous: PerceivingPair | null;
  /** The pair whose percept was stored last. */
  private settled: PerceivingPair | null;
  private tail: Promise<void> = Promise.resolve();
  /** Of each keyframe on its way: until when all was perceived before it. */
  private readonly pending: number[] = [];
  private waiters: (() => void)[] = [];

  constructor(
    private readonly perception: PerceptionPipeline,
    private readonly repository: LiveSessionRepository,
    readonly memory: ObservationMemory,
    private readonly options: KeyframeChainOptions,
    resumed: ResumedChain | null,
  ) {
    this.nextIndex = resumed?.nextIndex ?? 0;
    this.previous = this.settled = resumed?.previous ?? null;
  }

  get keyframeCount(): number {
    return this.nextIndex;
  }

  /** Until when everything is perceived; null when nothing is on its way. */
  get perceivedUntilMs(): number | null {
    return this.pending[0] ?? null;
  }

  /** Resolves when the chain has room, or the session ends. */
  async room(): Promise<void> {
    while (this.pending.length >= this.options.backlog && !this.options.signal.aborted) await this.progress();
  }

  /** Resolves when the next percept was stored, or the session ends. */
  progress(): Promise<void> {
    if (this.options.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => this.waiters.push(resolve));
  }

  /** Lets go whoever waits, because the session ends. */
  release(): void {
    this.waiters.splice(0).forEach((wake) => wake());
  }

  /** Runs once all that was added until now is perceived, before anything later is. */
  after<T>(run: () => T): Promise<T> {
    const result = this.tail.then(run);
    this.tail = result.then(
      () => undefined,
      () => undefined,
    );
    return result;
  }

  async add(kept: KeptFrame): Promise<void> {
    const { frame, decision, reason, sequence, steps } = kept;
    const [jpeg, thumbnail] = await Promise.all([this.options.encode(frame), this.options.shrink(frame)]);
    const id = uuidv7();
    const index = this.nextIndex++;
    const image = await decodeKeyframe(jpeg, { ...frame, index });
    const input: PairInput = { keyframe: image, previous: this.previous, steps, signal: this.options.signal };
    const pair = this.perception.perceive(input);
    this.previous = pair;
    const { overlapRatio, matchCount, inlierCount } = decision;
    const row = {
      id,
      index,
      frameIndex: frame.index,
      timestampMs: Math.round(frame.timestampMs),
      sequence: BigInt(sequence),
      width: frame.width,
      height: frame.height,
      contentHash: image.contentHash,
      jpeg,
      reason,
      overlapRatio,
      matchCount,
      inlierCount,
      perceptId: null,
    };
    const stored = this.untilStored(() => this.repository.addKeyframe(this.options.sessionId, row)).then(() =>
      this.options.tell({ event: 'keyframe', data: { ...viewKeyframe(row), sequence } }, thumbnail),
    );
    stored.catch(() => undefined); // heard of below
    this.pending.push(kept.seenBeforeMs);
    this.tail = this.tail
      .then(async () => {
        const { pair: made, perceived } = await this.perceived(input, pair, sequence);
        await stored;
        await this.untilStored(() =>
          this.repository.completeKeyframe(this.options.sessionId, id, perceived.perceptId, {
            durationMs: row.timestampMs,
            frameCount: frame.index + 1,
            startTimestampUs: BigInt(kept.startTimestampUs),
          }),
        );
        this.settled = made;
        this.pending.shift();
        this.memory.add({ keyframeId: id, timestampMs: row.timestampMs, percept: perceived.percept });
        const place = { sequence, index, timestamp_ms: row.timestampMs };
        this.options.tell({ event: 'percept', data: { ...viewPercept(id, perceived, null), ...place } });
        this.release();
      })
      .catch((error: unknown) => this.options.fail(error));
  }

  /** The pair's percept; when it fails, one more try, then what the geometry alone says. */
  private async perceived(
    input: PairInput,
    begun: PerceivingPair,
    sequence: number,
  ): Promise<{ pair: PerceivingPair; perceived: CachedPerception }> {
    const again = { ...input, previous: this.settled };
    let pair = begun;
    for (let tries = 0; ; tries++) {
      try {
        return { pair, perceived: await pair.done };
      } catch (error) {
        if (this.options.signal.aborted) throw error;
        const isOverload = error instanceof SaccadeError && error.fault === 'overloaded';
        if (unreachableDatabase(error) === null && tries >= (isOverload ? OVERLOAD_TRIES : 1)) {
          this.options.tell({ event: 'error', data: { ...toProblem(error), sequence } });
          break;
        }
        await pause(tries, this.options.signal);
        pair = this.replace(pair, this.perception.perceive(again));
      }
    }
    const perceived = await this.untilStored(() => {
      pair = this.replace(pair, this.perception.measuredOnly(again));
      return pair.done;
    });
    return { pair, perceived };
  }

  /** Later pairs go on from the new one. */
  private replace(failed: PerceivingPair, made: PerceivingPair): PerceivingPair {
    if (this.previous === failed) this.previous = made;
    return made;
  }

  private untilStored<T>(work: () => Promise<T>): Promise<T> {
    return retryUntil(work, (error) => unreachableDatabase(error) !== null, this.options.signal);
  }
}
