import { Frame } from '../frames/frame.js';
import { AgentAction } from '../perception/percept.js';

/** Why a frame was kept or skipped. */
export type KeyframeReason =
  | 'first' // kept: nothing to compare with
  | 'low_overlap' // kept: the view overlaps the last keyframe by less than the threshold
  | 'lost_track' // kept: textured, but no plausible homography to the last keyframe
  | 'max_gap' // kept: too long since the last keyframe
  | 'last' // kept: offline mode appends the last frame
  | 'uniform' // kept: offline mode fills up or thins out uniformly
  | 'question' // kept: somebody asked at this moment
  | 'overlapping' // skipped: enough of the view was already seen
  | 'texture_poor'; // skipped: too little texture to say that the view changed

/** What the camera did in one step, as far as the matches tell. */
export interface StepMotion {
  /** 0 where it did not turn. */
  leftDeg: number;
  upDeg: number;
  /** Null where it did not move. */
  move: AgentAction | null;
}

/**
 * Movement between two consecutive sampled frames. Ego-motion between keyframes is added up from these steps, since two
 * keyframes overlap too little for it.
 */
export interface MotionStep {
  fromTimestampMs: number;
  toTimestampMs: number;
  /** Null when too little matched to tell. */
  motion: StepMotion | null;
}

/** What a step's movement is measured from, in pixels of the sampled frame. */
export interface MotionEvidence {
  fromTimestampMs: number;
  toTimestampMs: number;
  width: number;
  height: number;
  /** Matched points, [n, 4]: x, y in the earlier frame, then x, y in the later one. */
  points: Float32Array;
  /** [n], 1 where the match agrees with the homography. */
  inliers: Uint8Array;
  /** Earlier → later frame, row-major 3×3; null when none was plausible. */
  homography: Float64Array | null;
}

/** @typeParam Step what is told of the movement since the previous sampled frame */
export interface KeyframeDecision<Step = MotionStep> {
  frameIndex: number;
  timestampMs: number;
  keep: boolean;
  reason: KeyframeReason;
  /** Area of the current view warped into the last keyframe and clipped to it, over the frame's area; null when unknown. */
  overlapRatio: number | null;
  /** Cross-checked descriptor matches with the last keyframe. */
  matchCount: number;
  /** Matches that agree with the homography. */
  inlierCount: number;
  /** Current frame → last keyframe, row-major 3×3 in pixels; null when none was plausible. */
  homography: Float64Array | null;
  /** Movement since the previous sampled frame; null for the first frame. */
  step: Step | null;
}

/**
 * Port: decides, causally and one frame at a time, which frames are keyframes.
 * One selector serves one video or session; frames are given in order, and a call is awaited before the next.
 */
export interface KeyframeSelector {
  decide(frame: Frame, signal?: AbortSignal): Promise<KeyframeDecision>;
  /** Takes the newest frame as the keyframe that later ones are compared with: it was kept for another reason. */
  keepNewest(): void;
  close(): void;
}

/** Makes selectors that share one pool of workers. */
export interface KeyframeSelectorFactory {
  create(): KeyframeSelector;
  close(): Promise<void>;
}
