import { GrayImage } from './gray-image.js';

/** The Bresenham circle of radius 3 that FAST looks at (Rosten and Drummond 2006), clockwise from the top. */
export const CIRCLE: readonly (readonly [number, number])[] = [
  [0, -3], [1, -3], [2, -2], [3, -1], [3, 0], [3, 1], [2, 2], [1, 3],
  [0, 3], [-1, 3], [-2, 2], [-3, 1], [-3, 0], [-3, -1], [-2, -2], [-1, -3],
]; // prettier-ignore

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

/** Whether a score is the largest of its 3×3 neighbourhood; of equals the first in reading order wins. */
export function isPeak(scores: Uint8Array, at: number, width: number): boolean {
  const score = scores[at];
  return (
    score >= scores[at + 1] &&
    score >= scores[at + width - 1] &&
    score >= scores[at + width] &&
    score >= scores[at + width + 1] &&
    score > scores[at - 1] &&
    score > scores[at - width - 1] &&
    score > scores[at - width] &&
    score > scores[at - width + 1]
  );
}
