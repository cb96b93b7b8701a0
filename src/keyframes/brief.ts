import { PATCH_RADIUS } from './orientation.js';
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

/** The test points for every direction, from the corner: Int8Array [DIRECTION_COUNT, TEST_COUNT, 4]. */
export function turnPattern(): Int8Array {
  const pattern = makePattern();
  const turned = new Int8Array(DIRECTION_COUNT * TEST_COUNT * 4);
  let o = 0;
  for (let direction = 0; direction < DIRECTION_COUNT; direction++) {
    const angle = (2 * Math.PI * direction) / DIRECTION_COUNT;
    const cos = Math.cos(angle);
    const sin = Math.sin(angle);
    for (let i = 0; i < pattern.length; i += 2) {
      turned[o++] = Math.round(pattern[i]! * cos - pattern[i + 1]! * sin);
      turned[o++] = Math.round(pattern[i]! * sin + pattern[i + 1]! * cos);
    }
  }
  return turned;
}

export function nearestDirection(m10: number, m01: number): number {
  const turn = Math.atan2(m01, m10) / (2 * Math.PI);
  return (Math.round(turn * DIRECTION_COUNT) + DIRECTION_COUNT) % DIRECTION_COUNT;
}
