import { DESCRIPTOR_BYTES, nearestDirection, PATTERN_RADIUS } from './brief.js';
import { pickCorners } from './corners.js';
import { GrayImage } from './gray-image.js';
import { kernel } from './kernel/kernel.js';
import { PATCH_RADIUS, patchMoments } from './orientation.js';
import { LEVEL_COUNT, LEVEL_SCALE, nextLevelSize, shrinkByTwoThirds, toBaseCoordinate } from './pyramid.js';

/** What is kept of a frame: where its corners are and what they look like. */
export interface Features {
  count: number;
  /** How many of them lie on the coarse levels, where sensor noise is averaged away: only texture has corners there. */
  coarseCount: number;
  /** [count], pixels of the picture that was analysed. */
  xs: Float32Array;
  ys: Float32Array;
  /** [count, 32] */
  descriptors: Uint8Array;
}

/** Lower than OpenCV's 20: Harris ranks the corners anyway, and weakly textured views have few above 20. */
const FAST_THRESHOLD = 10;
/** Noise of 10 grey levels (standard deviation) is 3 on this level, and has no corners above the threshold. */
const COARSE_LEVEL = 2;
const BORDER = Math.max(PATCH_RADIUS, PATTERN_RADIUS) + 2;

/** Oriented FAST corners with rotated BRIEF descriptors (ORB, Rublee et al. 2011) over a pyramid of four levels. */
export function extractFeatures(gray: GrayImage, maxFeatures: number): Features {
  const features: Features = {
    count: 0,
    coarseCount: 0,
    xs: new Float32Array(maxFeatures),
    ys: new Float32Array(maxFeatures),
    descriptors: new Uint8Array(maxFeatures * DESCRIPTOR_BYTES),
  };
  let image = gray;
  // Levels share the features in proportion to their width, as in OpenCV's ORB.
  let share = (1 - 1 / LEVEL_SCALE) / (1 - LEVEL_SCALE ** -LEVEL_COUNT);
  for (let level = 0; level < LEVEL_COUNT; level++, share /= LEVEL_SCALE) {
    if (level > 0) {
      const size = nextLevelSize(image.width, image.height);
      const smaller: GrayImage = { ...size, data: new Uint8Array(size.width * size.height) };
      shrinkByTwoThirds(image, smaller);
      image = smaller;
    }
    if (image.width <= 2 * BORDER || image.height <= 2 * BORDER) break;
    const left = maxFeatures - features.count;
    addLevel(image, level, level === LEVEL_COUNT - 1 ? left : Math.round(maxFeatures * share), features);
  }
  return features;
}

function addLevel(image: GrayImage, level: number, wanted: number, features: Features): void {
  const corners = pickCorners(image, kernel.scoreCorners(image, FAST_THRESHOLD, BORDER), wanted);
  const places = new Int32Array(corners.count);
  const directions = new Int32Array(corners.count);
  for (let i = 0; i < corners.count; i++) {
    places[i] = corners.ys[i]! * image.width + corners.xs[i]!;
    const { m10, m01 } = patchMoments(image, places[i]!);
    directions[i] = nearestDirection(m10, m01);
    features.xs[features.count + i] = toBaseCoordinate(corners.xs[i]!, level);
    features.ys[features.count + i] = toBaseCoordinate(corners.ys[i]!, level);
  }
  features.descriptors.set(kernel.describe(image, places, directions), features.count * DESCRIPTOR_BYTES);
  features.count += corners.count;
  if (level >= COARSE_LEVEL) features.coarseCount += corners.count;
}
