import { RayPairs } from './rays.js';

/** Right, down, ahead; of length 1. */
export type Direction = readonly [number, number, number];

const TRIALS = 120;

/**
 * The direction in which the camera moved without turning. Every point then moves along a line through one point of
 * the picture, the direction of the move: (x₁ × x₂) · c = 0, so two matches give a candidate c (RANSAC).
 *
 * @param tolerancePx how far a point may move off its line
 */
export function fitTranslation(rays: RayPairs, tolerancePx: number, random: () => number): Direction | null {
  if (rays.count < 2) return null;
  const tolerance = tolerancePx / rays.focalPx;
  let best: Direction | null = null;
  let most = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    const a = Math.floor(random() * rays.count);
    const b = Math.floor(random() * rays.count);
    const line = a === b ? null : normalised(cross(planeOf(rays, a), planeOf(rays, b)));
    if (line === null) continue;
    for (const direction of [line, opposite(line)]) {
      const inliers = countInliers(rays, direction, tolerance, most);
      if (inliers > most) [best, most] = [direction, inliers];
    }
  }
  return best;
}

export function opposite([x, y, z]: Direction): Direction {
  return [-x, -y, -z];
}

/** Normal of the plane through both views of a point. */
function planeOf({ before, after }: RayPairs, i: number): Direction {
  return cross([before[2 * i]!, before[2 * i + 1]!, 1], [after[2 * i]!, after[2 * i + 1]!, 1]);
}

/**
 * A point agrees when it moved away from where the camera goes, along the line there.
 * @param atLeast counting ends, with too small a number, once no more than this can be reached
 */
function countInliers(
  { count, before, after }: RayPairs,
  [cx, cy, cz]: Direction,
  tolerance: number,
  atLeast: number,
): number {
  let inliers = 0;
  for (let i = 0; i < count && inliers + count - i > atLeast; i++) {
    const x = before[2 * i]!;
    const y = before[2 * i + 1]!;
    const lineX = x * cz - cx;
    const lineY = y * cz - cy;
    const flowX = after[2 * i]! - x;
    const flowY = after[2 * i + 1]! - y;
    const norm = Math.sqrt(lineX * lineX + lineY * lineY); // Math.hypot takes several times as long
    if (norm < 1e-6) continue;
    const along = (flowX * lineX + flowY * lineY) / norm;
    const across = (flowX * lineY - flowY * lineX) / norm;
    if (along > -tolerance && Math.abs(across) < tolerance) inliers++;
  }
  return inliers;
}

export function cross(a: Direction, b: Direction): Direction {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Null for what is too short, or not finite, to have a direction. */
export function normalised(vector: Direction): Direction | null {
  const norm = Math.sqrt(vector[0] * vector[0] + vector[1] * vector[1] + vector[2] * vector[2]);
  return norm > 1e-9 && Number.isFinite(norm) ? [vector[0] / norm, vector[1] / norm, vector[2] / norm] : null;
}
