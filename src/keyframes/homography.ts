/** A 3×3 projective map, row-major Float64Array [9]. */
export type Homography = Float64Array;

export function multiply(a: Homography, b: Homography): Homography {
  const product = new Float64Array(9);
  for (let row = 0; row < 9; row += 3) {
    for (let column = 0; column < 3; column++) {
      product[row + column] = a[row] * b[column] + a[row + 1] * b[3 + column] + a[row + 2] * b[6 + column];
    }
  }
  return product;
}

/** The adjugate: the inverse up to a factor, which a projective map does not care about. */
export function invert(h: Homography): Homography {
  return Float64Array.of(
    h[4] * h[8] - h[5] * h[7],
    h[2] * h[7] - h[1] * h[8],
    h[1] * h[5] - h[2] * h[4],
    h[5] * h[6] - h[3] * h[8],
    h[0] * h[8] - h[2] * h[6],
    h[2] * h[3] - h[0] * h[5],
    h[3] * h[7] - h[4] * h[6],
    h[1] * h[6] - h[0] * h[7],
    h[0] * h[4] - h[1] * h[3],
  );
}

export function determinant(h: Homography): number {
  return (
    h[0] * (h[4] * h[8] - h[5] * h[7]) -
    h[1] * (h[3] * h[8] - h[5] * h[6]) +
    h[2] * (h[3] * h[7] - h[4] * h[6])
  );
}

/**
 * Scales so that a point in view, by default the origin, has depth 1: what is beyond the horizon then has a negative
 * one. Null when the map sends the point to infinity or is not finite.
 */
export function normalize(h: Homography, x = 0, y = 0): Homography | null {
  const depth = h[6] * x + h[7] * y + h[8];
  const scaled = h.map((value) => value / depth);
  return scaled.every(Number.isFinite) ? scaled : null;
}

/** The image of a point, or null beyond the horizon. */
export function project(h: Homography, x: number, y: number): [number, number] | null {
  const w = h[6] * x + h[7] * y + h[8];
  if (!(w > 1e-9)) return null;
  return [(h[0] * x + h[1] * y + h[2]) / w, (h[3] * x + h[4] * y + h[5]) / w];
}

/**
 * The map of four points onto four others, by way of the projective basis.
 *
 * @param points [n, 4] x, y → x, y
 * @param a index of the first of the four pairs; b, c, d the others
 */
export function fromFourPairs(
  points: Float32Array,
  a: number,
  b: number,
  c: number,
  d: number,
): Homography | null {
  const source = basis(points, 0, a, b, c, d);
  const target = basis(points, 2, a, b, c, d);
  if (source === null || target === null) return null;
  return normalize(multiply(target, invert(source)), points[4 * a], points[4 * a + 1]);
}

/** Columns are three of the points, scaled so that they sum to the fourth. */
function basis(p: Float32Array, side: number, a: number, b: number, c: number, d: number): Homography | null {
  const [ax, ay] = [p[4 * a + side], p[4 * a + side + 1]];
  const [bx, by] = [p[4 * b + side], p[4 * b + side + 1]];
  const [cx, cy] = [p[4 * c + side], p[4 * c + side + 1]];
  const [dx, dy] = [p[4 * d + side], p[4 * d + side + 1]];
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (Math.abs(area) < 1) return null;
  const u = ((bx - dx) * (cy - dy) - (cx - dx) * (by - dy)) / area;
  const v = ((cx - dx) * (ay - dy) - (ax - dx) * (cy - dy)) / area;
  const w = 1 - u - v;
  return Float64Array.of(u * ax, v * bx, w * cx, u * ay, v * by, w * cy, u, v, w);
}

/**
 * Least squares over the marked pairs, each weighted so that the error counts in pixels of the second picture.
 *
 * The direct linear transform in coordinates centred and scaled as Hartley (1997) advises, with the last entry 1.
 *
 * @param inliers [n], 1 where the pair takes part
 * @param guess a map near the solution, which gives the weights
 */
export function fitToInliers(
  points: Float32Array,
  inliers: Uint8Array,
  guess: Homography,
): Homography | null {
  const from = centring(points, inliers, 0);
  const to = centring(points, inliers, 2);
  const normal = new Float64Array(8 * 9);
  for (let i = 0; i < inliers.length; i++) {
    if (inliers[i] === 0) continue;
    const p = 4 * i;
    const depth = guess[6] * points[p] + guess[7] * points[p + 1] + guess[8];
    const weight = 1 / (depth * depth);
    const x = (points[p] - from.x) * from.scale;
    const y = (points[p + 1] - from.y) * from.scale;
    const u = (points[p + 2] - to.x) * to.scale;
    const v = (points[p + 3] - to.y) * to.scale;
    accumulate(normal, [x, y, 1, 0, 0, 0, -u * x, -u * y, u], weight);
    accumulate(normal, [0, 0, 0, x, y, 1, -v * x, -v * y, v], weight);
  }
  const solution = solve(normal);
  if (solution === null) return null;
  const scaled = Float64Array.of(...solution, 1);
  const uncentre = Float64Array.of(1 / to.scale, 0, to.x, 0, 1 / to.scale, to.y, 0, 0, 1);
  const centre = Float64Array.of(
    from.scale,
    0,
    -from.x * from.scale,
    0,
    from.scale,
    -from.y * from.scale,
    0,
    0,
    1,
  );
  return normalize(multiply(multiply(uncentre, scaled), centre), from.x, from.y);
}

function centring(
  points: Float32Array,
  inliers: Uint8Array,
  side: number,
): { x: number; y: number; scale: number } {
  let [x, y, squares, count] = [0, 0, 0, 0];
  for (let i = 0; i < inliers.length; i++) {
    if (inliers[i] === 0) continue;
    const px = points[4 * i + side];
    const py = points[4 * i + side + 1];
    x += px;
    y += py;
    squares += px * px + py * py;
    count++;
  }
  x /= count;
  y /= count;
  const spread = Math.sqrt(Math.max(1e-12, squares / count - x * x - y * y));
  return { x, y, scale: Math.SQRT2 / spread };
}

function accumulate(normal: Float64Array, row: readonly number[], weight: number): void {
  for (let i = 0; i < 8; i++) {
    if (row[i] === 0) continue;
    for (let j = 0; j < 9; j++) normal[9 * i + j] += weight * row[i] * row[j];
  }
}

/** Gauss elimination with pivoting on [8, 9]; null when singular. */
function solve(m: Float64Array): Float64Array | null {
  for (let column = 0; column < 8; column++) {
    let pivot = column;
    for (let row = column + 1; row < 8; row++) {
      if (Math.abs(m[9 * row + column]) > Math.abs(m[9 * pivot + column])) pivot = row;
    }
    if (Math.abs(m[9 * pivot + column]) < 1e-12) return null;
    for (let j = column; j < 9; j++) {
      [m[9 * column + j], m[9 * pivot + j]] = [m[9 * pivot + j], m[9 * column + j]];
    }
    for (let row = column + 1; row < 8; row++) {
      const factor = m[9 * row + column] / m[9 * column + column];
      if (factor === 0) continue;
      for (let j = column; j < 9; j++) m[9 * row + j] -= factor * m[9 * column + j];
    }
  }
  const x = new Float64Array(8);
  for (let row = 7; row >= 0; row--) {
    let sum = m[9 * row + 8];
    for (let j = row + 1; j < 8; j++) sum -= m[9 * row + j] * x[j];
    x[row] = sum / m[9 * row + row];
  }
  return x;
}
