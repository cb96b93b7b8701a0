import { GrayImage } from './gray-image.js';

/** Each level is two thirds of the one below, so that three pixels become two with whole-number weights. */
export const LEVEL_SCALE = 1.5;
export const LEVEL_COUNT = 4;

export function nextLevelSize(width: number, height: number): { width: number; height: number } {
  return { width: Math.floor(width / 3) * 2, height: Math.floor(height / 3) * 2 };
}

/** Position on level `level` → position on level 0; pixel centres lie at whole numbers. */
export function toBaseCoordinate(position: number, level: number): number {
  const scale = LEVEL_SCALE ** level;
  return (position + 0.5) * scale - 0.5;
}

/** Shrinks by 3:2 with area weights (2,1) and (1,2) over 3 in both directions. */
export function shrinkByTwoThirds(from: GrayImage, to: GrayImage): void {
  const { width: sw, data: source } = from;
  const { width, height, data } = to;
  for (let y = 0; y < height; y++) {
    // Odd rows of the output lean on the lower of their two source rows.
    const upper = ((y >> 1) * 3 + (y & 1)) * sw;
    const lower = upper + sw;
    const upperWeight = y & 1 ? 1 : 2;
    const lowerWeight = 3 - upperWeight;
    let o = y * width;
    for (let x = 0, s = 0; x < width; x += 2, s += 3) {
      const a = upperWeight * source[upper + s] + lowerWeight * source[lower + s];
      const b = upperWeight * source[upper + s + 1] + lowerWeight * source[lower + s + 1];
      const c = upperWeight * source[upper + s + 2] + lowerWeight * source[lower + s + 2];
      data[o++] = ((2 * a + b + 4) * 7282) >> 16;
      data[o++] = ((b + 2 * c + 4) * 7282) >> 16;
    }
  }
}
