import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { v7 as uuidv7 } from 'uuid';
import { FrameStream } from '../frames/frame-source.js';
import { KeyframeSelectorFactory } from '../keyframes/keyframe-selector.js';
import { KeyframeImage, PerceptionUsage } from '../perception/perceiver.js';
import { Percept } from '../perception/percept.js';
import { PerceptionPipeline } from '../perception/perception-pipeline.js';
import { SpatialQuestion } from '../reasoning/prompt.js';
import { AlbumKeyframe, AlbumOptions, KeyframeAlbum } from '../sessions/keyframe-album.js';
import { KeyframeView, PerceptView, ReasonEvent, viewObjects } from './reason-events.js';

export interface SeenKeyframe extends AlbumKeyframe {
  id: string;
  index: number;
  contentHash: string;
  percept: Percept;
  perceptId: string;
  cached: boolean;
  /** What it shows of the things that the question names; null where nobody looked. */
  forQuestion: string | null;
}

export interface Observation {
  keyframes: SeenKeyframe[];
  frameCount: number;
  durationMs: number;
  usage: PerceptionUsage;
  decodeMs: number;
  perceptionMs: number;
}

/** Watches a whole video: selects its keyframes and perceives each pair, in order. */
export class Observer {
  constructor(
    private readonly selectors: KeyframeSelectorFactory,
    private readonly perception: PerceptionPipeline,
    private readonly album: AlbumOptions,
  ) {}

  async observe(
    stream: FrameStream,
    signal: AbortSignal,
    tell: (event: ReasonEvent) => void,
  ): Promise<Observation> {
    const started = performance.now();
    const { keyframes, frameCount, durationMs } = await this.select(stream, signal);
    const selected = performance.now();
    const seen: SeenKeyframe[] = [];
    const usage: PerceptionUsage = { promptTokens: 0, completionTokens: 0, calls: 0 };
    let previous: { image: KeyframeImage; percept: Percept } | null = null;
    for (const [index, keyframe] of keyframes.entries()) {
      const id = uuidv7();
      const image = await decode(keyframe, index);
      tell({ event: 'keyframe', data: viewKeyframe(id, index, keyframe) });
      const perceived = await this.perception.perceive({
        keyframe: image,
        previous,
        steps: keyframe.steps,
        signal,
      });
      const { percept, cached, perceptId } = perceived;
      addUsage(usage, perceived.usage);
      seen.push({
        ...keyframe,
        id,
        index,
        contentHash: image.contentHash,
        percept,
        perceptId,
        cached,
        forQuestion: null,
      });
      tell({ event: 'percept', data: viewPercept(seen.at(-1)!) });
      previous = { image, percept };
    }
    return {
      keyframes: seen,
      frameCount,
      durationMs,
      usage,
      decodeMs: selected - started,
      perceptionMs: performance.now() - selected,
    };
  }

  /** Looks at every keyframe again for a question's things, where the perceiver has a pass for that. */
  async lookFor(
    observation: Observation,
    { text, options }: SpatialQuestion,
    signal: AbortSignal,
  ): Promise<Observation> {
    const started = performance.now();
    const usage = { ...observation.usage };
    const failed = new AbortController();
    const going = AbortSignal.any([signal, failed.signal]);
    const keyframes = await Promise.all(
      observation.keyframes.map(async (keyframe) => {
        const found = await this.perception.perceiveForQuestion(keyframe, text, options, going);
        if (found !== null) addUsage(usage, found.usage);
        return { ...keyframe, forQuestion: found?.percept.text ?? null };
      }),
    ).catch((error: unknown) => {
      // The question has failed, so nobody would read what the other looks found.
      failed.abort();
      throw error;
    });
    const perceptionMs = observation.perceptionMs + performance.now() - started;
    return { ...observation, keyframes, usage, perceptionMs };
  }

  private async select(stream: FrameStream, signal: AbortSignal) {
    const album = new KeyframeAlbum(this.album);
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

function addUsage(sum: PerceptionUsage, more: PerceptionUsage): void {
  sum.promptTokens += more.promptTokens;
  sum.completionTokens += more.completionTokens;
  sum.calls += more.calls;
}

/** Pixels come from the stored JPEG, so that a percept depends on nothing that is not kept. */
async function decode(keyframe: AlbumKeyframe, index: number): Promise<KeyframeImage> {
  const { timestampMs, width, height, jpeg } = keyframe;
  const rgb = await sharp(jpeg).removeAlpha().raw().toBuffer();
  const contentHash = createHash('sha256').update(jpeg).digest('hex');
  return { index, timestampMs, width, height, rgb, jpeg, contentHash };
}

export function viewKeyframe(
  id: string,
  index: number,
  { timestampMs, reason, decision }: AlbumKeyframe,
): KeyframeView {
  return {
    id,
    index,
    timestamp_ms: timestampMs,
    reason,
    overlap_ratio: decision.overlapRatio,
    match_count: decision.matchCount,
    inlier_count: decision.inlierCount,
    image_url: `/keyframes/${id}/image`,
  };
}

export function viewPercept({ id, percept, cached, forQuestion }: SeenKeyframe): PerceptView {
  const { text, actions, objects, gone, contradiction } = percept;
  return {
    keyframe_id: id,
    text,
    for_question: forQuestion,
    actions,
    objects: viewObjects(objects),
    gone,
    contradiction,
    cached,
  };
}
