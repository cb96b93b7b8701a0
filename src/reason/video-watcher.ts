import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { v7 as uuidv7 } from 'uuid';
import { FrameStream } from '../frames/frame-source.js';
import { KeyframeSelectorFactory } from '../keyframes/keyframe-selector.js';
import { KeyframeImage, PerceptionUsage } from '../perception/perceiver.js';
import { CachedPerception, PerceivingPair, PerceptionPipeline } from '../perception/perception-pipeline.js';
import { AlbumKeyframe, AlbumOptions, KeyframeAlbum } from '../sessions/keyframe-album.js';
import { KeyframeView, PerceptView, viewKeyframe, viewPercept } from './keyframe-json.js';

export interface SeenKeyframe extends AlbumKeyframe, CachedPerception {
  id: string;
  index: number;
  contentHash: string;
}

export interface Observation {
  keyframes: SeenKeyframe[];
  frameCount: number;
  durationMs: number;
  usage: PerceptionUsage;
  decodeMs: number;
  perceptionMs: number;
}

export type WatchEvent = { event: 'keyframe'; data: KeyframeView } | { event: 'percept'; data: PerceptView };

export interface VideoWatcherOptions extends AlbumOptions {
  /** Pairs of one video that are perceived at the same time. */
  concurrency: number;
}

/** Watches a whole video: selects its keyframes and perceives each pair. */
export class VideoWatcher {
  constructor(
    private readonly selectors: KeyframeSelectorFactory,
    private readonly perception: PerceptionPipeline,
    private readonly options: VideoWatcherOptions,
  ) {}

  /** @param tell is given keyframes and percepts in order, as they come */
  async watch(
    stream: FrameStream,
    caller: AbortSignal,
    tell: (event: WatchEvent) => void,
  ): Promise<Observation> {
    const started = performance.now();
    const { keyframes, frameCount, durationMs } = await this.select(stream, caller);
    const selected = performance.now();
    const failed = new AbortController();
    const signal = AbortSignal.any([caller, failed.signal]);
    try {
      const seen = await this.perceive(keyframes, signal, tell);
      return {
        keyframes: seen,
        frameCount,
        durationMs,
        usage: sumUsage(seen.map(({ usage }) => usage)),
        decodeMs: selected - started,
        perceptionMs: performance.now() - selected,
      };
    } catch (error) {
      failed.abort(); // nobody would read what the pairs on their way find
      throw error;
    }
  }

  private async perceive(
    keyframes: readonly AlbumKeyframe[],
    signal: AbortSignal,
    tell: (event: WatchEvent) => void,
  ): Promise<SeenKeyframe[]> {
    const seen: SeenKeyframe[] = [];
    const onTheWay: { id: string; index: number; keyframe: AlbumKeyframe; pair: PerceivingPair }[] = [];
    const finishOldest = async () => {
      const { id, index, keyframe, pair } = onTheWay.shift()!;
      const perceived = await pair.done;
      seen.push({ ...keyframe, ...perceived, id, index, contentHash: pair.picture.contentHash });
      tell({ event: 'percept', data: viewPercept(id, perceived, null) });
    };
    let previous: PerceivingPair | null = null;
    for (const [index, keyframe] of keyframes.entries()) {
      if (onTheWay.length >= this.options.concurrency) await finishOldest();
      const id = uuidv7();
      const image = await decodeKeyframe(keyframe.jpeg, { index, ...keyframe });
      tell({ event: 'keyframe', data: viewKeyframe({ id, index, ...keyframe, ...keyframe.decision }) });
      previous = this.perception.perceive({ keyframe: image, previous, steps: keyframe.steps, signal });
      onTheWay.push({ id, index, keyframe, pair: previous });
    }
    while (onTheWay.length > 0) await finishOldest();
    return seen;
  }

  private async select(stream: FrameStream, signal: AbortSignal) {
    const album = new KeyframeAlbum(this.options);
    const selector = this.selectors.create();
    let frameCount = 0;
    let durationMs = 0;
    try {
      for await (const frame of stream) {
        await album.add(frame, await selector.decide(frame, signal));
        frameCount++;
        durationMs = frame.timestampMs;
      }
    } finally {
      selector.close();
    }
    return { keyframes: await album.finish(), frameCount, durationMs };
  }
}

export function sumUsage(parts: readonly PerceptionUsage[]): PerceptionUsage {
  const sum = { promptTokens: 0, completionTokens: 0, calls: 0 };
  for (const { promptTokens, completionTokens, calls } of parts) {
    sum.promptTokens += promptTokens;
    sum.completionTokens += completionTokens;
    sum.calls += calls;
  }
  return sum;
}

/** Pixels come from the stored JPEG, so that a percept depends on nothing that is not kept. */
export async function decodeKeyframe(
  jpeg: Buffer,
  { index, timestampMs, width, height }: Pick<KeyframeImage, 'index' | 'timestampMs' | 'width' | 'height'>,
): Promise<KeyframeImage> {
  const rgb = await sharp(jpeg).removeAlpha().raw().toBuffer();
  const contentHash = createHash('sha256').update(jpeg).digest('hex');
  return { index, timestampMs, width, height, rgb, jpeg, contentHash };
}
