import { Frame } from '../frames/frame.js';
import { Comparison, compareViews, motionEvidence } from './compare.js';
import { KeyframeDecision, KeyframeReason, MotionEvidence } from './keyframe-selector.js';
import { SelectorOptions } from './selector-options.js';
import { thumbnailDifference } from './thumbnail.js';
import { lookAt, View } from './view.js';

/** What one selector remembers between frames. */
export interface SelectorState {
  keyframe: View;
  previous: View;
}

export interface DecisionStep {
  state: SelectorState;
  decision: KeyframeDecision<MotionEvidence>;
}

/**
 * One step of the paper's rule (Embodied-R, §3.2): keep a frame whose overlap with the last keyframe is too small.
 * Causal: only the past is looked at, and each frame's pixels once.
 *
 * @param state null before the first frame
 */
export function decide(state: SelectorState | null, frame: Frame, options: SelectorOptions): DecisionStep {
  const view = lookAt(frame, options);
  if (state === null || !sameShape(view, state.keyframe)) {
    return { state: { keyframe: view, previous: view }, decision: firstDecision(view) };
  }
  const comparison = compareViews(view, state.keyframe, options);
  const reason = judge(view, state.keyframe, comparison, options);
  const keep = reason !== 'overlapping' && reason !== 'texture_poor';
  return {
    state: { keyframe: keep ? view : state.keyframe, previous: view },
    decision: {
      frameIndex: view.frameIndex,
      timestampMs: view.timestampMs,
      keep,
      reason,
      overlapRatio: comparison.overlapRatio,
      matchCount: comparison.matches.count,
      inlierCount: comparison.inlierCount,
      homography: comparison.homography,
      step: options.trackMotion ? measureStep(view, state, comparison, options) : null,
    },
  };
}

function judge(view: View, keyframe: View, comparison: Comparison, options: SelectorOptions): KeyframeReason {
  if (comparison.overlapRatio !== null && comparison.overlapRatio < options.overlapThreshold)
    return 'low_overlap';
  if (comparison.overlapRatio === null) {
    // The paper keeps every frame it cannot match, and so every frame of a blank wall.
    const comparable = comparison.matches.count >= options.minMatches && isTextured(view, options);
    if (comparable || thumbnailDifference(view.thumbnail, keyframe.thumbnail) >= options.blankDifference) {
      return 'lost_track';
    }
  }
  if (options.maxGapMs > 0 && view.timestampMs - keyframe.timestampMs >= options.maxGapMs) return 'max_gap';
  return comparison.overlapRatio === null ? 'texture_poor' : 'overlapping';
}

/**
 * Noise has corners too, hundreds in a dim room, and they match by chance; but not on the coarse levels. A small picture
 * has little room for corners there and needs fewer.
 */
function isTextured(view: View, options: SelectorOptions): boolean {
  const share = Math.min(1, (view.analysedWidth * view.analysedHeight) / (320 * 180));
  return view.features.coarseCount >= options.minMatches * share;
}

function measureStep(
  view: View,
  state: SelectorState,
  withKeyframe: Comparison,
  options: SelectorOptions,
): MotionEvidence {
  const { keyframe, previous } = state;
  const comparison = previous === keyframe ? withKeyframe : compareViews(view, previous, options);
  return motionEvidence(comparison, view, previous);
}

/** A stream that changes its picture size starts over: features of the two do not compare. */
function sameShape(a: View, b: View): boolean {
  return a.width === b.width && a.height === b.height;
}

function firstDecision(view: View): KeyframeDecision<MotionEvidence> {
  return {
    frameIndex: view.frameIndex,
    timestampMs: view.timestampMs,
    keep: true,
    reason: 'first',
    overlapRatio: null,
    matchCount: 0,
    inlierCount: 0,
    homography: null,
    step: null,
  };
}
