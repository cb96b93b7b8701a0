import { MotionStep } from '../keyframes/keyframe-selector.js';
import { Percept } from './percept.js';

/** A kept frame with what the perceivers need of it. */
export interface KeyframeImage {
  /** Position among the keyframes, from 0. */
  index: number;
  timestampMs: number;
  width: number;
  height: number;
  /** [height, width, 3] */
  rgb: Uint8Array;
  /** The same picture encoded, for upstreams and for storage. */
  jpeg: Buffer;
  /** sha256 of the JPEG, hex: the cache key. */
  contentHash: string;
}

/** A keyframe's picture as it is kept. */
export type Picture = Pick<KeyframeImage, 'jpeg' | 'contentHash'>;

export interface PerceptionInput {
  keyframe: KeyframeImage;
  /** Null for the first keyframe. Its percept may still be on its way: only those who need it wait for it. */
  previous: { picture: Picture; percept: Promise<Percept> } | null;
  /** Every step between the previous keyframe and this one, in order. */
  steps: readonly MotionStep[];
  signal: AbortSignal;
}

export interface PerceptionUsage {
  promptTokens: number;
  completionTokens: number;
  /** Calls made, retries included; 0 when the percept came from the cache or no model server was needed. */
  calls: number;
}

export interface Perception {
  percept: Percept;
  usage: PerceptionUsage;
}

/** Port: turns a pair of keyframes into text, without knowing the question, so that every later question can reuse it. */
export interface Perceiver {
  readonly name: string;
  /** Changes when the prompt, the model or the wording does; part of the cache key. */
  readonly version: string;
  perceive(input: PerceptionInput): Promise<Perception>;
  /**
   * Question-related pass on demand: what this keyframe shows of the things the question names.
   * Perceivers without one leave it out.
   */
  perceiveForQuestion?(
    keyframe: Picture,
    question: string,
    options: readonly string[],
    signal: AbortSignal,
  ): Promise<{ text: string; usage: PerceptionUsage }>;
  close(): Promise<void>;
}
