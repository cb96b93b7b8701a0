import { RayPairs, Rotation } from './rays.js';

const TRIALS = 120;
const REFINEMENTS = 4;

/**
 * The turn of the camera that carries most points onto their matches, found by trying pairs of points (RANSAC) and
 * refined on those that agree. A turn moves points without regard to their distance; a move does not.
 *
 * @param tolerancePx how far a point may land from its match
 */
export function fitRotation(rays: RayPairs, tolerancePx: number, random: () => number): Rotation | null {
  if (rays.count < 2) return null;
  const tolerance = tolerancePx / rays.focalPx;
  let best: Rotation | null = null;
  let most = 0;
  for (let trial = 0; trial < TRIALS; trial++) {
    const a = Math.floor(random() * rays.count);
    const b = Math.floor(random() * rays.count);
    const rotation = a === b ? null : rotationOfTwo(rays, a, b);
    if (rotation === null) continue;
    const agreeing = countInliers(rays, rotation, tolerance, most);
    if (agreeing > most) [best, most] = [rotation, agreeing];
  }
  if (best === null) return null;
  let rotation = best;
  for (let i = 0; i < REFINEMENTS; i++)
    rotation = rotationOf(rays, inliersOf(rays, rotation, tolerance)) ?? rotation;
  return rotation;
}

/** Turn to the left and tilt upward, in degrees. */
export function anglesOf(rotation: Rotation): { leftDeg: number; upDeg: number } {
  return {
    leftDeg: degrees(Math.atan2(rotation[2]!, rotation[8]!)),
    upDeg: degrees(Math.atan2(rotation[5]!, Math.hypot(rotation[2]!, rotation[8]!))),
  };
}

/**
 * The same without naming them, for the many that are tried.
 * @param atLeast counting ends, with too small a number, once no more than this can be reached
 */
function countInliers(
  { count, before, after }: RayPairs,
  r: Rotation,
  tolerance: number,
  atLeast: number,
): number {
  let agreeing = 0;
  for (let i = 0; i < count && agreeing + count - i > atLeast; i++) {
    const x = before[2 * i]!;
    const y = before[2 * i + 1]!;
    const z = r[6]! * x + r[7]! * y + r[8]!;
    const dx = (r[0]! * x + r[1]! * y + r[2]!) / z - after[2 * i]!;
    const dy = (r[3]! * x + r[4]! * y + r[5]!) / z - after[2 * i + 1]!;
    if (z > 0 && dx * dx + dy * dy < tolerance * tolerance) agreeing++;
  }
  return agreeing;
}

/**
 * Least-squares rotation of two unit vectors onto two others: their bisectors and the normals of their planes fall
 * together. Null when either two have nearly one direction, and so no plane.
 */
function rotationOfTwo({ before, after }: RayPairs, i: number, j: number): Rotation | null {
  const from = frameOf(before, i, j);
  const to = from === null ? null : frameOf(after, i, j);
  if (from === null || to === null) return null;
  const r = new Array<number>(9);
  for (let row = 0; row < 3; row++)
    for (let column = 0; column < 3; column++)
      r[3 * row + column] =
        to[row]! * from[column]! + to[3 + row]! * from[3 + column]! + to[6 + row]! * from[6 + column]!;
  return r;
}

/** Bisector, direction across it in the plane, and normal of two directions of view, one after the other. */
function frameOf(points: Float64Array, i: number, j: number): number[] | null {
  const [px, py, pz] = unit(points[2 * i]!, points[2 * i + 1]!);
  const [qx, qy, qz] = unit(points[2 * j]!, points[2 * j + 1]!);
  const [bx, by, bz] = [px + qx, py + qy, pz + qz];
  const [ax, ay, az] = [px - qx, py - qy, pz - qz];
  const across = Math.sqrt(ax * ax + ay * ay + az * az);
  if (!(across > 1e-6)) return null;
  const along = Math.sqrt(bx * bx + by * by + bz * bz);
  const [b0, b1, b2] = [bx / along, by / along, bz / along];
  const [a0, a1, a2] = [ax / across, ay / across, az / across];
  return [b0, b1, b2, a0, a1, a2, b1 * a2 - b2 * a1, b2 * a0 - b0 * a2, b0 * a1 - b1 * a0];
}

function inliersOf({ count, before, after }: RayPairs, r: Rotation, tolerance: number): number[] {
  const agreeing: number[] = [];
  for (let i = 0; i < count; i++) {
    const x = before[2 * i]!;
    const y = before[2 * i + 1]!;
    const z = r[6]! * x + r[7]! * y + r[8]!;
    if (z <= 0) continue;
    const dx = (r[0]! * x + r[1]! * y + r[2]!) / z - after[2 * i]!;
    const dy = (r[3]! * x + r[4]! * y + r[5]!) / z - after[2 * i + 1]!;
    if (dx * dx + dy * dy < tolerance * tolerance) agreeing.push(i);
  }
  return agreeing;
}

/** Least-squares rotation of unit vectors onto their matches (Horn 1987: the leading eigenvector as a quaternion). */
function rotationOf({ before, after }: RayPairs, indices: readonly number[]): Rotation | null {
  if (indices.length < 2) return null;
  const s = new Float64Array(9);
  for (const i of indices) {
    const p = unit(before[2 * i]!, before[2 * i + 1]!);
    const q = unit(after[2 * i]!, after[2 * i + 1]!);
    for (let a = 0; a < 3; a++) for (let b = 0; b < 3; b++) s[3 * a + b]! += p[a]! * q[b]!;
  }
  const [xx, xy, xz, yx, yy, yz, zx, zy, zz] = s as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const matrix = [
    [xx + yy + zz, yz - zy, zx - xz, xy - yx],
    [yz - zy, xx - yy - zz, xy + yx, zx + xz],
    [zx - xz, xy + yx, -xx + yy - zz, yz + zy],
    [xy - yx, zx + xz, yz + zy, -xx - yy + zz],
  ];
  return fromQuaternion(leadingEigenvector(matrix, xx + yy + zz));
}

/**
 * Power iteration by repeated squaring, shifted so that the largest eigenvalue is also the largest in size: ten
 * squarings are as good as a thousand steps.
 */
function leadingEigenvector(matrix: readonly number[][], scale: number): number[] {
  let power = matrix.map((row, i) => row.map((value, j) => value + (i === j ? Math.abs(scale) : 0)));
  for (let i = 0; i < 10; i++) {
    const size = Math.max(...power.flat().map(Math.abs), 1e-300);
    const scaled = power.map((row) => row.map((value) => value / size));
    power = scaled.map((row) =>
      [0, 1, 2, 3].map((j) => row.reduce((sum, value, k) => sum + value * scaled[k]![j]!, 0)),
    );
  }
  // Every column is now a multiple of the eigenvector; the largest has lost least.
  const columns = [0, 1, 2, 3].map((j) => power.map((row) => row[j]!));
  const longest = columns.reduce((a, b) => (Math.hypot(...b) > Math.hypot(...a) ? b : a));
  const norm = Math.hypot(...longest);
  return longest.map((value) => value / norm);
}

function fromQuaternion(quaternion: number[]): Rotation {
  const [w, x, y, z] = quaternion as [number, number, number, number];
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
  ]; // prettier-ignore
}

function unit(x: number, y: number): [number, number, number] {
  const norm = Math.sqrt(x * x + y * y + 1);
  return [x / norm, y / norm, 1 / norm];
}

function degrees(radians: number): number {
  return (radians * 180) / Math.PI;
}
