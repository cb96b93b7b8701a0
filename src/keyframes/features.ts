import { describe, DESCRIPTOR_BYTES, nearestDirection, PATTERN_RADIUS, turnPattern } from './brief.js';
import { pickCorners } from './corners.js';
import { scoreCorners } from './fast.js';
import { GrayImage } from './gray-image.js';
import { PATCH_RADIUS, patchMoments } from './orientation.js';
import { LEVEL_COUNT, LEVEL_SCALE, nextLevelSize, shrinkByTwoThirds, toBaseCoordinate } from './pyramid.js';
import { smooth } from './smooth.js';

/** What is kept of a frame: where its corners are and what they look like. */
export interface Features {
  count: number;
  /** [count], pixels of the picture that was analysed. */
  xs: Float32Array;
  ys: Float32Array;
  /** [count, 32] */
  descriptors: Uint8Array;
}

/** Lower than OpenCV's 20: Harris ranks the corners anyway, and weakly textured views have few above 20. */
const FAST_THRESHOLD = 10;
const BORDER = Math.max(PATCH_RADIUS, PATTERN_RADIUS) + 2;

const patterns = new Map<number, Int32Array>();

function patternFor(width: number): Int32Array {
  let pattern = patterns.get(width);
  if (pattern === undefined) patterns.set(width, (pattern = turnPattern(width)));
  return pattern;
}

/** Oriented FAST corners with rotated BRIEF descriptors (ORB, Rublee et al. 2011) over a three-level pyramid. */
export function extractFeatures(gray: GrayImage, maxFeatures: number): Features {
  const features: Features = {
    count: 0,
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
  const size = image.width * image.height;
  const scores = new Uint8Array(size);
  scoreCorners(image, FAST_THRESHOLD, BORDER, scores);
  const corners = pickCorners(image, scores, BORDER, wanted);
  const blurred: GrayImage = { width: image.width, height: image.height, data: new Uint8Array(size) };
  smooth(image, blurred, new Uint8Array(size));
  const pattern = patternFor(image.width);
  for (let i = 0; i < corners.count; i++) {
    const at = corners.ys[i] * image.width + corners.xs[i];
    const { m10, m01 } = patchMoments(image, at);
    const n = features.count++;
    features.xs[n] = toBaseCoordinate(corners.xs[i], level);
    features.ys[n] = toBaseCoordinate(corners.ys[i], level);
    describe(blurred, at, pattern, nearestDirection(m10, m01), features.descriptors, n * DESCRIPTOR_BYTES);
  }
}
