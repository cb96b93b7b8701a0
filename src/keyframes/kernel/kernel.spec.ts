import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { describeCorner, hammingDistance, scoreCorners, smooth } from '../../../test/support/plain-kernel.js';
import { DIRECTION_COUNT, turnPattern } from '../brief.js';
import { GrayImage } from '../gray-image.js';
import { seededRandom } from '../random.js';
import { SOURCE_SHA256 } from './kernel-code.js';
import { kernel } from './kernel.js';

const random = seededRandom(7);

/** Blocks and noise: corners of every strength, flat parts, and widths that are no multiple of sixteen. */
function picture(width: number, height: number): GrayImage {
  const data = Uint8Array.from({ length: width * height }, (_, i) => {
    const block = (Math.floor((i % width) / 7) * 37 + Math.floor(i / width / 5) * 91) % 256;
    return (i % width) % 3 === 0 ? Math.floor(random() * 256) : block;
  });
  return { width, height, data };
}

const PICTURES = [picture(64, 48), picture(97, 61), picture(320, 180), picture(40, 40)];

describe.each(PICTURES.map((image) => [`${image.width} × ${image.height}`, image] as const))(
  'a picture of %s',
  (_, image) => {
    it.each([5, 10, 40])('has the FAST scores of the plain definition above %i', (threshold) => {
      const plain = new Uint8Array(image.data.length);
      scoreCorners(image, threshold, 17, plain);
      expect(kernel.scoreCorners(image, threshold, 17)).toEqual(plain);
      if (threshold === 10 && image.width > 50) expect(plain.some((score) => score > 0)).toBe(true);
    });

    it('has the descriptors of the plain definition after plain smoothing', () => {
      const smoothed: GrayImage = { ...image, data: new Uint8Array(image.data.length) };
      smooth(image, smoothed, new Uint8Array(image.data.length));
      const count = 50;
      const corners = Int32Array.from({ length: count }, () => {
        const x = 17 + Math.floor(random() * (image.width - 34));
        const y = 17 + Math.floor(random() * (image.height - 34));
        return y * image.width + x;
      });
      const directions = Int32Array.from({ length: count }, () => Math.floor(random() * DIRECTION_COUNT));
      const made = kernel.describe(image, corners, directions).slice();
      const patterns = turnPattern();
      corners.forEach((at, i) => {
        const pattern = patterns.subarray(1024 * directions[i]!, 1024 * (directions[i]! + 1));
        expect(made.slice(32 * i, 32 * i + 32)).toEqual(describeCorner(smoothed, at, pattern));
      });
    });
  },
);

it('finds the nearest descriptors in both directions, of equals the first', () => {
  const descriptors = (count: number) =>
    Uint8Array.from({ length: 32 * count }, () => Math.floor(random() * 256));
  const first = descriptors(40);
  const second = descriptors(55);
  second.set(first.subarray(32 * 3, 32 * 4), 32 * 20);
  second.set(first.subarray(32 * 3, 32 * 4), 32 * 30);
  const at = (set: Uint8Array, i: number) => set.subarray(32 * i, 32 * i + 32);
  const best = (one: Uint8Array, set: Uint8Array) => {
    const distances = Array.from({ length: set.length / 32 }, (_, j) => hammingDistance(one, at(set, j)));
    const least = Math.min(...distances);
    return [distances.indexOf(least), least];
  };
  const { forward, backward } = kernel.nearest(first, second);
  expect([...forward]).toEqual(Array.from({ length: 40 }, (_, i) => best(at(first, i), second)).flat());
  expect([...backward]).toEqual(Array.from({ length: 55 }, (_, j) => best(at(second, j), first)).flat());
  expect([...forward.slice(6, 8)]).toEqual([20, 0]);
});

it('takes empty sets', () => {
  const { forward, backward } = kernel.nearest(new Uint8Array(0), new Uint8Array(64));
  expect([forward.length, [...backward]]).toEqual([0, [-1, 257, -1, 257]]);
});

it('was compiled from the source that lies beside it', () => {
  const source = readFileSync(new URL('./assembly/index.ts', import.meta.url));
  expect(SOURCE_SHA256).toBe(createHash('sha256').update(source).digest('hex'));
});
