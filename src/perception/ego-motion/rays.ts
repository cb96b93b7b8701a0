import { MotionEvidence } from '../../keyframes/keyframe-selector.js';

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

/** Row-major 3×3, from the earlier camera's axes (x right, y down, z ahead) to the later one's. */
export type Rotation = readonly number[];

export const NO_TURN: Rotation = [1, 0, 0, 0, 1, 0, 0, 0, 1];

/** Points of a step through a pinhole camera with its centre in the middle of the picture. */
export function toRays(
  { points, width, height }: Pick<MotionEvidence, 'points' | 'width' | 'height'>,
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

/** The pairs as if the camera had first turned: what is left between before and after is the move. */
export function turnFirst(rays: RayPairs, r: Rotation): RayPairs {
  const before = new Float64Array(rays.before.length);
  for (let i = 0; i < before.length; i += 2) {
    const [x, y] = [rays.before[i]!, rays.before[i + 1]!];
    const z = r[6]! * x + r[7]! * y + r[8]!;
    // A point that the turn takes behind the camera was not seen after it: its match is false wherever it lies.
    before[i] = z > 0 ? (r[0]! * x + r[1]! * y + r[2]!) / z : Infinity;
    before[i + 1] = z > 0 ? (r[3]! * x + r[4]! * y + r[5]!) / z : Infinity;
  }
  return { ...rays, before };
}
