import { Frame } from '../frames/frame.js';
import { KeyframeDecision, KeyframeReason, MotionStep } from '../keyframes/keyframe-selector.js';

/** A picture of the video that may become a keyframe, encoded so that a long video stays inside fixed memory. */
export interface AlbumPicture {
  frameIndex: number;
  timestampMs: number;
  width: number;
  height: number;
  jpeg: Buffer;
  decision: KeyframeDecision;
}

export interface AlbumKeyframe extends AlbumPicture {
  reason: KeyframeReason;
  /** Movement since the previous keyframe, in order. */
  steps: MotionStep[];
}

export interface AlbumOptions {
  /** Fewest and most keyframes of a finished video (the paper's 4 and 32). */
  min: number;
  max: number;
  encode: (frame: Frame) => Promise<Buffer>;
}

/** Skipped pictures held for filling up, at most. */
const MAX_SPARE = 64;

/**
 * Collects the keyframes of a finished video and applies the paper's three offline steps (Embodied-R, section 3.1):
 * the last frame is always kept; with fewer than `min` the video is sampled uniformly instead; with more than `max`
 * the first, the last and uniformly chosen ones between them stay.
 *
 * Memory is bounded whatever the length of the video: spare pictures and keyframes past four times `max`
 * are thinned evenly while the video is read.
 */
export class KeyframeAlbum {
  private readonly kept: EvenSample<AlbumPicture>;
  private readonly spare = new EvenSample<AlbumPicture>(MAX_SPARE);
  private readonly steps: MotionStep[] = [];
  private last: { frame: Frame; decision: KeyframeDecision } | null = null;

  constructor(private readonly options: AlbumOptions) {
    this.kept = new EvenSample(options.max * 4);
  }

  async add(frame: Frame, decision: KeyframeDecision): Promise<void> {
    if (decision.step !== null) this.steps.push(decision.step);
    this.last = { frame, decision };
    const sample = decision.keep ? this.kept : this.kept.items.length < this.options.min ? this.spare : null;
    if (sample?.admits() === true) sample.put(await this.picture(frame, decision));
  }

  /** The keyframes of the whole video, in order; empty when no frame was added. */
  async finish(): Promise<AlbumKeyframe[]> {
    if (this.last === null) return [];
    const { frame, decision } = this.last;
    const last =
      this.kept.items.at(-1)?.frameIndex === frame.index ? [] : [await this.picture(frame, decision)];
    const all = [...this.kept.items, ...last];
    const chosen = all.length < this.options.min ? this.fillUp(all) : thinOut(all, this.options.max);
    return chosen.map((picture, i) => ({
      ...picture,
      reason: picture.decision.keep
        ? picture.decision.reason
        : picture.frameIndex === frame.index
          ? 'last'
          : 'uniform',
      steps: i === 0 ? [] : this.stepsBetween(chosen[i - 1]!.timestampMs, picture.timestampMs),
    }));
  }

  private stepsBetween(fromMs: number, toMs: number): MotionStep[] {
    return this.steps.filter((step) => step.fromTimestampMs >= fromMs && step.toTimestampMs <= toMs);
  }

  private async picture(frame: Frame, decision: KeyframeDecision): Promise<AlbumPicture> {
    const { index, timestampMs, width, height } = frame;
    return {
      frameIndex: index,
      timestampMs,
      width,
      height,
      jpeg: await this.options.encode(frame),
      decision,
    };
  }

  /** Keeps what was kept and adds the pictures nearest to evenly spread positions until there are `min`. */
  private fillUp(kept: readonly AlbumPicture[]): AlbumPicture[] {
    const end = kept.at(-1)!.frameIndex;
    const chosen = new Map(kept.map((picture) => [picture.frameIndex, picture]));
    const free = new Map(
      this.spare.items
        .filter((picture) => !chosen.has(picture.frameIndex))
        .map((picture) => [picture.frameIndex, picture]),
    );
    for (let i = 1; i < this.options.min - 1 && free.size > 0 && chosen.size < this.options.min; i++) {
      const wanted = (end * i) / (this.options.min - 1);
      if ([...chosen.keys()].some((index) => Math.abs(index - wanted) < 0.5)) continue;
      const nearest = [...free.values()].reduce((a, b) =>
        Math.abs(b.frameIndex - wanted) < Math.abs(a.frameIndex - wanted) ? b : a,
      );
      free.delete(nearest.frameIndex);
      chosen.set(nearest.frameIndex, nearest);
    }
    return [...chosen.values()].sort((a, b) => a.frameIndex - b.frameIndex);
  }
}

/** At most `capacity` of the things offered, evenly spread over all of them: every second, fourth, … once it is full. */
class EvenSample<T> {
  private held: { ordinal: number; item: T }[] = [];
  private offered = 0;
  private stride = 1;

  constructor(private readonly capacity: number) {}

  get items(): T[] {
    return this.held.map(({ item }) => item);
  }

  /** Counts one offer and says whether it is wanted; a wanted one is then put. */
  admits(): boolean {
    return this.offered++ % this.stride === 0;
  }

  put(item: T): void {
    this.held.push({ ordinal: this.offered - 1, item });
    if (this.held.length <= this.capacity) return;
    this.stride *= 2;
    this.held = this.held.filter(({ ordinal }) => ordinal % this.stride === 0);
  }
}

/** First, last and evenly spread ones between them. */
function thinOut<T>(items: readonly T[], max: number): T[] {
  if (items.length <= max) return [...items];
  return Array.from({ length: max }, (_, i) => items[Math.round((i * (items.length - 1)) / (max - 1))]!);
}
