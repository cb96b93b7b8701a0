import { PATCH_RADIUS } from './orientation.js';
import { GrayImage } from './gray-image.js';
import { seededRandom } from './random.js';

/** Tests per descriptor, and bytes they take. */
export const TEST_COUNT = 256;
export const DESCRIPTOR_BYTES = TEST_COUNT / 8;
/** Directions the pattern is turned to beforehand, 6° apart. */
export const DIRECTION_COUNT = 60;
/** A turned test point never lies further than this from its corner. */
export const PATTERN_RADIUS = PATCH_RADIUS - 1;

/**
 * Pairs of points drawn from a Gaussian around the corner, the best of the five ways Calonder et al. (2010) tried.
 * Float32Array [TEST_COUNT, 4]: x, y of the first point, x, y of the second.
 */
export function makePattern(): Float32Array {
  const random = seededRandom(0x5acade);
  const gauss = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const point = (): [number, number] => {
    for (;;) {
      const x = gauss() * (PATCH_RADIUS / 2.5);
      const y = gauss() * (PATCH_RADIUS / 2.5);
      if (x * x + y * y <= (PATTERN_RADIUS - 0.5) ** 2) return [x, y];
    }
  };
  const pattern = new Float32Array(TEST_COUNT * 4);
  for (let i = 0; i < TEST_COUNT;) {
    const first = point();
    const second = point();
    // Points this close are nearly always equal, and the bit would be noise.
    if (Math.hypot(first[0] - second[0], first[1] - second[1]) < 3) continue;
    pattern.set([...first, ...second], 4 * i++);
  }
  return pattern;
}

const PATTERN = makePattern();

/** Offsets of all test points for every direction in a picture of this width: Int32Array [DIRECTION_COUNT, TEST_COUNT, 2]. */
export function turnPattern(width: number): Int32Array {
  const offsets = new Int32Array(DIRECTION_COUNT * TEST_COUNT * 2);
  let o = 0;
  for (let direction = 0; direction < DIRECTION_COUNT; direction++) {
    const angle = (2 * Math.PI * direction) / DIRECTION_COUNT;
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    for (let i = 0; i < PATTERN.length; i += 2) {
      const x = Math.round(PATTERN[i] * cos - PATTERN[i + 1] * sin);
      const y = Math.round(PATTERN[i] * sin + PATTERN[i + 1] * cos);
      offsets[o++] = y * width + x;
    }
  }
  return offsets;
}

export function nearestDirection(m10: number, m01: number): number {
  const turn = Math.atan2(m01, m10) / (2 * Math.PI);
  return (Math.round(turn * DIRECTION_COUNT) + DIRECTION_COUNT) % DIRECTION_COUNT;
}

/** Writes the descriptor of the corner at `at` in a smoothed picture; bit i is set where test i's first point is darker. */
export function describe(
  smooth: GrayImage,
  at: number,
  offsets: Int32Array,
  direction: number,
  out: Uint8Array,
  outAt: number,
): void {
  const { data } = smooth;
  let o = direction * TEST_COUNT * 2;
  for (let byte = 0; byte < DESCRIPTOR_BYTES; byte++) {
    let bits = 0;
    for (let bit = 0; bit < 8; bit++, o += 2) {
      if (data[at + offsets[o]] < data[at + offsets[o + 1]]) bits |= 1 << bit;
    }
    out[outAt + byte] = bits;
  }
}
