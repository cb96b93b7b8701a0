import { MotionEvidence } from './keyframe-selector.js';
import { Homography, invert } from './homography.js';
import { matchFeatures, Matches } from './matcher.js';
import { overlapRatio } from './overlap.js';
import { isPlausible } from './plausibility.js';
import { fitHomography, RobustFit } from './ransac.js';
import { SelectorOptions } from './selector-options.js';
import { frameCoordinate, toFramePixels, View } from './view.js';

/** How the current view relates to an earlier one. */
export interface Comparison {
  matches: Matches;
  fit: RobustFit | null;
  inlierCount: number;
  /** Current → earlier frame in frame pixels, where plausible. */
  homography: Homography | null;
  /** Null with the homography. */
  overlapRatio: number | null;
}

export function compareViews(current: View, earlier: View, options: SelectorOptions): Comparison {
  const matches = matchFeatures(current.features, earlier.features);
  const unknown: Comparison = { matches, fit: null, inlierCount: 0, homography: null, overlapRatio: null };
  if (matches.count < options.minMatches) return unknown;
  const tolerancePx = (options.reprojectionPx * current.analysedWidth) / 640;
  const fit = fitHomography(matches.points, tolerancePx);
  if (fit === null) return unknown;
  const { analysedWidth: width, analysedHeight: height } = current;
  const evidence = { ...fit, points: matches.points, width, height };
  const plausible = isPlausible(evidence, options.minInlierRatio);
  const homography = plausible ? toFramePixels(fit.homography, current, earlier) : null;
  return {
    matches,
    fit,
    inlierCount: fit.inlierCount,
    homography,
    overlapRatio: homography !== null ? overlapRatio(fit.homography, width, height) : null,
  };
}

/** The movement from the earlier view to the current one, as evidence for ego-motion. */
export function motionEvidence(comparison: Comparison, current: View, earlier: View): MotionEvidence {
  const { matches, fit } = comparison;
  const points = new Float32Array(matches.points.length);
  const scaleX = current.width / current.analysedWidth;
  const scaleY = current.height / current.analysedHeight;
  for (let i = 0; i < points.length; i += 4) {
    points[i] = frameCoordinate(matches.points[i + 2], scaleX);
    points[i + 1] = frameCoordinate(matches.points[i + 3], scaleY);
    points[i + 2] = frameCoordinate(matches.points[i], scaleX);
    points[i + 3] = frameCoordinate(matches.points[i + 1], scaleY);
  }
  return {
    fromTimestampMs: earlier.timestampMs,
    toTimestampMs: current.timestampMs,
    width: current.width,
    height: current.height,
    points,
    inliers: comparison.homography !== null && fit !== null ? fit.inliers : new Uint8Array(matches.count),
    homography: comparison.homography === null ? null : invert(comparison.homography),
  };
}
