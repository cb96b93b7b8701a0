import { RayPairs, Rotation } from './rays.js';
import { Direction } from './translation.js';

/**
 * Squared distance in pixels from where a turn says that each point lands to its match; the most that counts for
 * points that would land behind the camera.
 */
export function turnResiduals({ count, before, after, focalPx }: RayPairs, r: Rotation): Float64Array {
  const squares = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const [x, y] = [before[2 * i]!, before[2 * i + 1]!];
    const z = r[6]! * x + r[7]! * y + r[8]!;
    const dx = (r[0]! * x + r[1]! * y + r[2]!) / z - after[2 * i]!;
    const dy = (r[3]! * x + r[4]! * y + r[5]!) / z - after[2 * i + 1]!;
    squares[i] = z > 0 ? (dx * dx + dy * dy) * focalPx * focalPx : Infinity;
  }
  return squares;
}

/** One point's part in fitting a turn and a move together. */
export interface EpipolarTerm {
  /** Distance to the epipolar line in both views together (Sampson), in pixels. */
  residual: number;
  /** Turned direction of view before the step. */
  turned: Direction;
  /** Direction of view after it. */
  seen: Direction;
  /** Pixels in a unit of the algebraic error at this point. */
  scale: number;
  /** How far it moved towards where the camera goes, in pixels: what no move does. */
  backwardPx: number;
}

/** @param c direction of the camera's move in its later axes */
export function epipolarTerm(
  { before, after, focalPx }: RayPairs,
  i: number,
  r: Rotation,
  c: Direction,
): EpipolarTerm {
  const [x, y] = [before[2 * i]!, before[2 * i + 1]!];
  const [u, v] = [after[2 * i]!, after[2 * i + 1]!];
  const a: Direction = [
    r[0]! * x + r[1]! * y + r[2]!,
    r[3]! * x + r[4]! * y + r[5]!,
    r[6]! * x + r[7]! * y + r[8]!,
  ];
  // The line in the later view, c × a, and in the earlier one, Rᵀ(q × c).
  const [l0, l1, l2] = [c[1] * a[2] - c[2] * a[1], c[2] * a[0] - c[0] * a[2], c[0] * a[1] - c[1] * a[0]];
  const [k0, k1, k2] = [v * c[2] - c[1], c[0] - u * c[2], u * c[1] - v * c[0]];
  const m0 = r[0]! * k0 + r[3]! * k1 + r[6]! * k2;
  const m1 = r[1]! * k0 + r[4]! * k1 + r[7]! * k2;
  const scale = focalPx / Math.sqrt(l0 * l0 + l1 * l1 + m0 * m0 + m1 * m1 + 1e-18);
  // A move lets points flow away from where it goes; those of no flow may go anywhere.
  const [px, py] = [a[0] / a[2], a[1] / a[2]];
  const [awayX, awayY] = [px * c[2] - c[0], py * c[2] - c[1]];
  const flow = ((u - px) * awayX + (v - py) * awayY) / (Math.sqrt(awayX * awayX + awayY * awayY) + 1e-9);
  return {
    residual: (u * l0 + v * l1 + l2) * scale,
    turned: a,
    seen: [u, v, 1],
    scale,
    backwardPx: a[2] > 0 ? Math.max(0, -flow * focalPx) : Infinity,
  };
}

/** Squared distances in pixels for a turn and a move: off the line, or back along it. */
export function epipolarResiduals(rays: RayPairs, r: Rotation, c: Direction): Float64Array {
  const squares = new Float64Array(rays.count);
  for (let i = 0; i < rays.count; i++) {
    const { residual, backwardPx } = epipolarTerm(rays, i, r, c);
    squares[i] = Math.max(residual * residual, backwardPx * backwardPx);
  }
  return squares;
}
