import { isConvex, Polygon, signedArea } from './overlap.js';

/** A view does not grow or shrink by more than this in area between frames whose features still match. */
const MAX_AREA_FACTOR = 16;
/** Four pairs always agree with their own map; that many more must do so by themselves. */
const MIN_INLIERS = 10;

export interface FitEvidence {
  matchCount: number;
  inlierCount: number;
  /** The picture's outline sent through the homography. */
  outline: Polygon | null;
  width: number;
  height: number;
}

/**
 * Whether a homography can be two views of one scene. The paper takes any map RANSAC returns, and RANSAC returns one
 * for any matches: a fold or a sliver then passes for a small overlap, or by luck for a large one.
 */
export function isPlausible(evidence: FitEvidence, minInlierRatio: number): boolean {
  const { outline, matchCount, inlierCount, width, height } = evidence;
  if (outline === null || inlierCount < MIN_INLIERS) return false;
  if (inlierCount < minInlierRatio * matchCount) return false;
  if (!isConvex(outline)) return false;
  const factor = signedArea(outline) / (width * height);
  return factor > 1 / MAX_AREA_FACTOR && factor < MAX_AREA_FACTOR;
}
