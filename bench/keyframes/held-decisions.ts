import { Frame } from '../../src/frames/frame.js';
import { decide, SelectorState } from '../../src/keyframes/decide.js';
import { KeyframeDecision, MotionEvidence } from '../../src/keyframes/keyframe-selector.js';
import { resolveSelectorOptions } from '../../src/keyframes/selector-options.js';
import { lookAt } from '../../src/keyframes/view.js';

/** The paper has no longest gap, and the movement since the previous frame is no part of its rule. */
export const BARE_RULE = resolveSelectorOptions({ maxGapMs: 0, trackMotion: false });

/**
 * Our decision on every frame after the first, each against the keyframe given for it, so that one disagreement does
 * not send the two selectors down different paths.
 *
 * @param keyframes for each frame the index of the keyframe it is compared with
 */
export function decideHeld(
  frames: readonly Frame[],
  keyframes: readonly number[],
  options = BARE_RULE,
): KeyframeDecision<MotionEvidence>[] {
  let keyframe = lookAt(frames[0], options);
  return frames.slice(1).map((frame) => {
    const wanted = keyframes[frame.index];
    if (wanted !== keyframe.frameIndex) keyframe = lookAt(frames[wanted], options);
    const state: SelectorState = { keyframe, previous: keyframe };
    return decide(state, frame, options).decision;
  });
}
