import { Clip, readFrames } from './clip.js';
import { Cv2Oracle } from './cv2-oracle.js';
import { decideHeld } from './held-decisions.js';
import { Scene } from './scenes/scene.js';

const THRESHOLD = 0.5;

/** How far the two selectors are from overlaps that are known. */
export interface TruthScore {
  name: string;
  heldOut: boolean;
  decisions: number;
  keeps: number;
  /** Sum of |overlap − truth|; an overlap that was not found counts as 0, since it keeps the frame. */
  error: number;
  errorCv2: number;
  wrong: number;
  wrongCv2: number;
  /** Decisions for which both found an overlap, and the sums over these. */
  found: number;
  errorFound: number;
  errorFoundCv2: number;
}

/**
 * Both judged frame by frame against the keyframes that the true overlap selects.
 *
 * @param oracle null where OpenCV is not installed; its figures are then NaN
 */
export async function judgeByTruth(scene: Scene, clip: Clip, oracle: Cv2Oracle | null): Promise<TruthScore> {
  const { keyframes, overlaps } = followTruth(scene);
  const ours = decideHeld(readFrames(clip), keyframes);
  const theirs = oracle === null ? null : await oracle.rule(clip, 0, keyframes);
  const score: TruthScore = {
    name: scene.name,
    heldOut: scene.heldOut,
    decisions: ours.length,
    keeps: 0,
    error: 0,
    errorCv2: theirs === null ? NaN : 0,
    wrong: 0,
    wrongCv2: theirs === null ? NaN : 0,
    found: 0,
    errorFound: 0,
    errorFoundCv2: 0,
  };
  ours.forEach((decision, i) => {
    const truth = overlaps[i + 1];
    const keep = truth < THRESHOLD;
    score.keeps += Number(keep);
    const error = Math.abs((decision.overlapRatio ?? 0) - truth);
    score.error += error;
    score.wrong += Number(decision.keep !== keep);
    if (theirs === null) return;
    const errorCv2 = Math.abs((theirs[i].overlap ?? 0) - truth);
    score.errorCv2 += errorCv2;
    score.wrongCv2 += Number(theirs[i].keep !== keep);
    if (decision.overlapRatio === null || theirs[i].overlap === null) return;
    score.found++;
    score.errorFound += error;
    score.errorFoundCv2 += errorCv2;
  });
  return score;
}

/** For each frame the keyframe that it is compared with, and its overlap with that. */
export function followTruth(scene: Scene): { keyframes: number[]; overlaps: number[] } {
  const keyframes = [0];
  const overlaps = [1];
  let keyframe = 0;
  for (let index = 1; index < scene.frameCount; index++) {
    keyframes.push(keyframe);
    overlaps.push(scene.trueOverlap(index, keyframe));
    if (overlaps[index] < THRESHOLD) keyframe = index;
  }
  return { keyframes, overlaps };
}
