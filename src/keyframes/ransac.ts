import { fitToInliers, fromFourPairs, Homography } from './homography.js';
import { seededRandom } from './random.js';

export interface RobustFit {
  /** First picture → second picture. */
  homography: Homography;
  /** [n], 1 where the pair agrees with it. */
  inliers: Uint8Array;
  inlierCount: number;
}

const MAX_SAMPLES = 2000;
/** Stop once a better sample is this unlikely to have been missed; OpenCV's default. */
const CONFIDENCE = 0.995;
const REFINEMENTS = 4;

/**
 * Homography by RANSAC (Fischler and Bolles 1981), then least squares over its inliers until they settle.
 * Seeded: the same pairs give the same map.
 *
 * @param points [n, 4] x, y in the first picture → x, y in the second
 * @param tolerancePx largest distance in the second picture of a pair that agrees
 */
export function fitHomography(points: Float32Array, tolerancePx: number, seed = 1): RobustFit | null {
  const count = points.length / 4;
  if (count < 4) return null;
  const best = search(points, count, tolerancePx * tolerancePx, seededRandom(seed));
  return best === null ? null : refine(points, best, tolerancePx * tolerancePx);
}

function search(
  points: Float32Array,
  count: number,
  tolerance: number,
  random: () => number,
): Homography | null {
  let best: Homography | null = null;
  let bestInliers = 3;
  let needed = MAX_SAMPLES;
  const pick = [0, 0, 0, 0];
  for (let sample = 0; sample < needed; sample++) {
    drawFour(pick, count, random);
    const [a, b, c, d] = pick;
    if (!sameSense(points, a, b, c, d)) continue;
    const candidate = fromFourPairs(points, a, b, c, d);
    if (candidate === null) continue;
    const inliers = countInliers(points, count, candidate, tolerance, bestInliers);
    if (inliers <= bestInliers) continue;
    best = candidate;
    bestInliers = inliers;
    needed = Math.min(needed, samplesFor(inliers / count));
  }
  return best;
}

function samplesFor(inlierRatio: number): number {
  const hit = inlierRatio ** 4;
  return hit > 1 - 1e-12 ? 1 : Math.min(MAX_SAMPLES, Math.ceil(Math.log(1 - CONFIDENCE) / Math.log(1 - hit)));
}

function drawFour(pick: number[], count: number, random: () => number): void {
  for (let i = 0; i < 4;) {
    const drawn = Math.floor(random() * count);
    if (i > 0 && pick[0] === drawn) continue;
    if (i > 1 && pick[1] === drawn) continue;
    if (i > 2 && pick[2] === drawn) continue;
    pick[i++] = drawn;
  }
}

/** Two views of a surface from its one side never mirror a triangle; most chance samples do, and are dropped here. */
function sameSense(p: Float32Array, a: number, b: number, c: number, d: number): boolean {
  return (
    turn(p, 0, a, b, c) * turn(p, 2, a, b, c) > 0 &&
    turn(p, 0, b, c, d) * turn(p, 2, b, c, d) > 0 &&
    turn(p, 0, c, d, a) * turn(p, 2, c, d, a) > 0 &&
    turn(p, 0, d, a, b) * turn(p, 2, d, a, b) > 0
  );
}

function turn(p: Float32Array, side: number, a: number, b: number, c: number): number {
  const ax = p[4 * a + side];
  const ay = p[4 * a + side + 1];
  return (
    (p[4 * b + side] - ax) * (p[4 * c + side + 1] - ay) - (p[4 * c + side] - ax) * (p[4 * b + side + 1] - ay)
  );
}

/** Gives up, returning 0, once `atLeast` can no longer be beaten. */
function countInliers(
  p: Float32Array,
  count: number,
  h: Homography,
  tolerance: number,
  atLeast: number,
): number {
  const [h0, h1, h2, h3, h4, h5, h6, h7, h8] = h;
  let inliers = 0;
  let spare = count - atLeast;
  for (let i = 0; i < 4 * count; i += 4) {
    const x = p[i];
    const y = p[i + 1];
    const w = h6 * x + h7 * y + h8;
    const dx = h0 * x + h1 * y + h2 - w * p[i + 2];
    const dy = h3 * x + h4 * y + h5 - w * p[i + 3];
    if (w > 0 && dx * dx + dy * dy <= tolerance * w * w) inliers++;
    else if (--spare <= 0) return 0;
  }
  return inliers;
}

interface Support {
  count: number;
  /** Squared distances, no pair's counted above the tolerance (MSAC, Torr and Zisserman 2000). */
  cost: number;
}

function markInliers(p: Float32Array, h: Homography, tolerance: number, marks: Uint8Array): Support {
  const support: Support = { count: 0, cost: 0 };
  for (let n = 0; n < marks.length; n++) {
    const i = 4 * n;
    const w = h[6] * p[i] + h[7] * p[i + 1] + h[8];
    const dx = h[0] * p[i] + h[1] * p[i + 1] + h[2] - w * p[i + 2];
    const dy = h[3] * p[i] + h[4] * p[i + 1] + h[5] - w * p[i + 3];
    const agrees = w > 0 && dx * dx + dy * dy <= tolerance * w * w;
    marks[n] = agrees ? 1 : 0;
    support.count += marks[n];
    support.cost += agrees ? (dx * dx + dy * dy) / (w * w) : tolerance;
  }
  return support;
}

/** Judged by cost: a map through four pairs often has a pair or two more than the better one fitted to them all. */
function refine(points: Float32Array, found: Homography, tolerance: number): RobustFit {
  let homography = found;
  let inliers = new Uint8Array(points.length / 4);
  let support = markInliers(points, homography, tolerance, inliers);
  for (let round = 0; round < REFINEMENTS; round++) {
    const fitted = fitToInliers(points, inliers, homography);
    if (fitted === null) break;
    const marks = new Uint8Array(inliers.length);
    const next = markInliers(points, fitted, tolerance, marks);
    if (next.cost >= support.cost) break;
    homography = fitted;
    inliers = marks;
    support = next;
  }
  return { homography, inliers, inlierCount: support.count };
}
