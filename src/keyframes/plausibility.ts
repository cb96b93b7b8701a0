import { determinant, Homography } from './homography.js';
import { signedArea, warpOutline } from './overlap.js';

/** A view does not grow or shrink by more than this in area between frames whose features still match. */
const MAX_AREA_FACTOR = 16;
/** Four pairs always agree with their own map; that many more must do so by themselves. */
const MIN_INLIERS = 10;
/** Share of inliers that a map must have to be believed when it stretches the view's far side without bound. */
const MIN_STRETCHED_INLIER_RATIO = 0.2;

export interface FitEvidence {
  /** Current → earlier picture. */
  homography: Homography;
  /** [n, 4], the matches; and [n], 1 where one agrees. */
  points: Float32Array;
  inliers: Uint8Array;
  inlierCount: number;
  width: number;
  height: number;
}

/**
 * Whether a homography can be two views of one scene. The paper takes any map RANSAC returns, and RANSAC returns one
 * for any matches: a fold or a sliver then passes for a small overlap, or by luck for a large one.
 */
export function isPlausible(evidence: FitEvidence, minInlierRatio: number): boolean {
  const { homography, inliers, inlierCount, width, height } = evidence;
  if (inlierCount < MIN_INLIERS || inlierCount < minInlierRatio * inliers.length) return false;
  const magnification = magnificationAtInliers(evidence);
  // A mirrored view has a negative one.
  if (!(magnification > 1 / MAX_AREA_FACTOR && magnification < MAX_AREA_FACTOR)) return false;
  const outline = warpOutline(homography, width, height);
  const factor = outline === null ? Infinity : signedArea(outline) / (width * height);
  // A wide turn does this, and so does a map of chance matches.
  if (factor > MAX_AREA_FACTOR) return inlierCount >= MIN_STRETCHED_INLIER_RATIO * inliers.length;
  return factor > 1 / MAX_AREA_FACTOR;
}

/** How much larger an area becomes under the map, at the middle of the pairs that agree with it. */
function magnificationAtInliers({ homography: h, points, inliers, inlierCount }: FitEvidence): number {
  let [x, y] = [0, 0];
  inliers.forEach((agrees, i) => {
    x += agrees * points[4 * i]!;
    y += agrees * points[4 * i + 1]!;
  });
  const depth = (h[6]! * x + h[7]! * y) / inlierCount + h[8]!;
  return determinant(h) / depth ** 3;
}
