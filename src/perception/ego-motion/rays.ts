import { MotionStep } from '../../keyframes/keyframe-selector.js';

/** Matched directions of view before and after a step, on the plane one focal length ahead of the camera. */
export interface RayPairs {
  count: number;
  /** [n, 2]: x to the right, y down, in focal lengths, in the earlier view. */
  before: Float64Array;
  /** The same in the later view. */
  after: Float64Array;
  /** Pixels in a focal length. */
  focalPx: number;
}

/** Points of a step through a pinhole camera with its centre in the middle of the picture. */
export function toRays(
  { points, width, height }: Pick<MotionStep, 'points' | 'width' | 'height'>,
  hfovDeg: number,
): RayPairs {
  const focalPx = width / 2 / Math.tan((hfovDeg * Math.PI) / 360);
  const count = points.length / 4;
  const before = new Float64Array(count * 2);
  const after = new Float64Array(count * 2);
  for (let i = 0; i < count; i++) {
    before[2 * i] = (points[4 * i]! - width / 2) / focalPx;
    before[2 * i + 1] = (points[4 * i + 1]! - height / 2) / focalPx;
    after[2 * i] = (points[4 * i + 2]! - width / 2) / focalPx;
    after[2 * i + 1] = (points[4 * i + 3]! - height / 2) / focalPx;
  }
  return { count, before, after, focalPx };
}
