import { Clip, readFrames } from './clip.js';
import { Cv2Oracle } from './cv2-oracle.js';
import { decideHeld } from './held-decisions.js';

/** How often two selectors say the same on one clip; shares of its decisions. */
export interface Agreement {
  name: string;
  heldOut: boolean;
  decisions: number;
  /** Frames OpenCV keeps, the first not among them. */
  keeps: number;
  /** Ours with OpenCV. */
  ours: number;
  /** OpenCV with itself, its matches shuffled. */
  self: number;
  /** What never keeping a frame would score. */
  never: number;
  /** Both keep, only we keep, only OpenCV keeps. */
  both: number;
  onlyOurs: number;
  onlyCv2: number;
  /** The same for OpenCV with its matches shuffled, summed over the shuffles. */
  selfBoth: number;
  selfOther: number;
}

export async function measureAgreement(clip: Clip, oracle: Cv2Oracle, shuffles: number): Promise<Agreement> {
  const theirs = await oracle.rule(clip, shuffles);
  const ours = decideHeld(readFrames(clip), [0, ...theirs.map((decision) => decision.keyframe)]);
  const count = theirs.length;
  const keeps = theirs.filter((decision) => decision.keep).length;
  const both = theirs.filter((decision, i) => decision.keep && ours[i].keep).length;
  const onlyOurs = ours.filter((decision, i) => decision.keep && !theirs[i].keep).length;
  const verdicts = theirs.flatMap((decision) => decision.shuffled.map((keep) => [decision.keep, keep]));
  const selfOther = verdicts.filter(([first, again]) => first !== again).length;
  return {
    name: clip.name,
    heldOut: clip.heldOut,
    decisions: count,
    keeps,
    ours: 1 - (onlyOurs + keeps - both) / count,
    self: 1 - selfOther / verdicts.length,
    never: 1 - keeps / count,
    both,
    onlyOurs,
    onlyCv2: keeps - both,
    selfBoth: verdicts.filter(([first, again]) => first && again).length,
    selfOther,
  };
}

/** F1 on kept frames, pooled. */
export function pooledF1(agreements: readonly Agreement[]): number {
  const [both, other] = agreements.reduce(([b, o], a) => [b + a.both, o + a.onlyOurs + a.onlyCv2], [0, 0]);
  return (2 * both) / (2 * both + other);
}

/** The F1 that OpenCV reaches against itself with its matches shuffled: what a perfect copy could expect. */
export function pooledSelfF1(agreements: readonly Agreement[]): number {
  const [both, other] = agreements.reduce(([b, o], a) => [b + a.selfBoth, o + a.selfOther], [0, 0]);
  return (2 * both) / (2 * both + other);
}
