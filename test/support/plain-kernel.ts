import { GrayImage } from '../../src/keyframes/gray-image.js';
import { Taps } from '../../src/keyframes/kernel/kernel.js';

// The kernel's work in plain TypeScript: what its tests hold it to.

/** The Bresenham circle of radius 3 that FAST looks at (Rosten and Drummond 2006), clockwise from the top. */
export const CIRCLE: readonly (readonly [number, number])[] = [
  [0, -3], [1, -3], [2, -2], [3, -1], [3, 0], [3, 1], [2, 2], [1, 3],
  [0, 3], [-1, 3], [-2, 2], [-3, 1], [-3, 0], [-3, -1], [-2, -2], [-1, -3],
]; // prettier-ignore

/** ITU-R BT.601 in 1/16384, rounded. */
export function luma(rgb: Uint8Array): Uint8Array {
  return Uint8Array.from(
    { length: rgb.length / 3 },
    (_, i) => (4899 * rgb[3 * i]! + 9617 * rgb[3 * i + 1]! + 1868 * rgb[3 * i + 2]! + 8192) >> 14,
  );
}

/** Weighted sums down the columns, then along the rows, rounded once. */
export function shrink({ width, data }: GrayImage, rows: Taps, columns: Taps): Uint8Array {
  const [height, across] = [rows.starts.length, columns.starts.length];
  return Uint8Array.from({ length: height * across }, (_, o) => {
    const [y, x] = [Math.floor(o / across), o % across];
    let sum = 0;
    for (let j = 0; j < rows.count; j++) {
      for (let i = 0; i < columns.count; i++) {
        const weight = rows.weights[y * rows.count + j]! * columns.weights[x * columns.count + i]!;
        sum += weight * data[(rows.starts[y]! + j) * width + columns.starts[x]! + i]!;
      }
    }
    return (sum + 32768) >> 16;
  });
}

/**
 * FAST-9 score of every pixel: the largest threshold at which nine neighbours in a row on the circle are all
 * brighter, or all darker, than the centre; 0 where it does not exceed `threshold` or the pixel is in the border.
 */
export function scoreCorners(image: GrayImage, threshold: number, border: number, scores: Uint8Array): void {
  const { width, height, data } = image;
  scores.fill(0, 0, width * height);
  const offsets = CIRCLE.map(([x, y]) => y * width + x);
  const [north, east, south, west] = [offsets[0], offsets[4], offsets[8], offsets[12]];
  const differences = new Int32Array(24);
  for (let y = border; y < height - border; y++) {
    for (let x = border; x < width - border; x++) {
      const at = y * width + x;
      const centre = data[at];
      const high = centre + threshold;
      const low = centre - threshold;
      const n = data[at + north];
      const s = data[at + south];
      const e = data[at + east];
      const w = data[at + west];
      // Nine in a row cover one of each pair of opposite points.
      const bright = (n > high || s > high) && (e > high || w > high);
      const dark = (n < low || s < low) && (e < low || w < low);
      if (!bright && !dark) continue;
      for (let i = 0; i < 16; i++) differences[i] = data[at + offsets[i]] - centre;
      for (let i = 0; i < 8; i++) differences[16 + i] = differences[i];
      const score = Math.max(bright ? arcScore(differences, 1) : 0, dark ? arcScore(differences, -1) : 0);
      if (score > threshold) scores[at] = score;
    }
  }
}

function arcScore(differences: Int32Array, sign: number): number {
  let best = 0;
  for (let start = 0; start < 16; start++) {
    let least = 255;
    for (let i = start; i < start + 9 && least > best; i++) {
      const value = sign * differences[i];
      if (value < least) least = value;
    }
    if (least > best) best = least;
  }
  return best;
}

/**
 * Smooths with the binomial kernel 1 4 6 4 1 in both directions, rounding after each, so that a single noisy pixel
 * does not flip a descriptor bit. The two outermost pixels are copied: no test point lies there.
 */
export function smooth(from: GrayImage, to: GrayImage, scratch: Uint8Array): void {
  const { width, height, data } = from;
  const size = width * height;
  scratch.set(data.subarray(0, 2 * width));
  scratch.set(data.subarray(size - 2 * width, size), size - 2 * width);
  for (let i = 2 * width; i < size - 2 * width; i++) {
    const outer = data[i - 2 * width] + data[i + 2 * width];
    scratch[i] = (outer + 4 * (data[i - width] + data[i + width]) + 6 * data[i] + 8) >> 4;
  }
  to.data[0] = scratch[0];
  to.data[1] = scratch[1];
  to.data[size - 2] = scratch[size - 2];
  to.data[size - 1] = scratch[size - 1];
  for (let i = 2; i < size - 2; i++) {
    const outer = scratch[i - 2] + scratch[i + 2];
    to.data[i] = (outer + 4 * (scratch[i - 1] + scratch[i + 1]) + 6 * scratch[i] + 8) >> 4;
  }
}

/** Bit i is set where test i's first point is darker. @param pattern [256, 4] x, y, x, y */
export function describeCorner(image: GrayImage, at: number, pattern: Int8Array): Uint8Array {
  const bits = new Uint8Array(32);
  for (let i = 0; i < 256; i++) {
    const [x1, y1, x2, y2] = pattern.subarray(4 * i, 4 * i + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    const [first, second] = [
      image.data[at + y1 * image.width + x1]!,
      image.data[at + y2 * image.width + x2]!,
    ];
    if (first < second) bits[i >> 3]! |= 1 << (i & 7);
  }
  return bits;
}

export function hammingDistance(a: Uint8Array, b: Uint8Array): number {
  return a.reduce((sum, byte, i) => sum + (byte ^ b[i]!).toString(2).replaceAll('0', '').length, 0);
}
