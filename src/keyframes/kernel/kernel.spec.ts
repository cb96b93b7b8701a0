import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  describeCorner,
  hammingDistance,
  luma,
  scoreCorners,
  shrink,
  smooth,
} from '../../../test/support/plain-kernel.js';
import { DIRECTION_COUNT, turnPattern } from '../brief.js';
import { GrayImage } from '../gray-image.js';
import { analysedLuma, coverage } from '../luma.js';
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

describe.each([
  [768, 576, 640, 480],
  [97, 61, 96, 60],
  [41, 23, 13, 8],
  [30, 20, 10, 5],
  [5, 3, 5, 1],
])('colours of %i × %i', (width, height, across, down) => {
  const rgb = Uint8Array.from({ length: width * height * 3 }, () => Math.floor(256 * random()));
  rgb.fill(255, 0, 60);

  it('have the brightness of the plain definition', () => {
    expect(kernel.luma(rgb)).toEqual(luma(rgb));
    expect(kernel.luma(rgb)[0]).toBe(255);
  });

  it(`have it shrunk to ${across} × ${down}`, () => {
    const [rows, columns] = [coverage(height, down), coverage(width, across)];
    const plain = shrink({ width, height, data: luma(rgb) }, rows, columns);
    expect(kernel.shrunkLuma(rgb, width, rows, columns)).toEqual(plain);
  });
});

describe('coverage', () => {
  it.each([
    [
      3,
      2,
      [
        [171, 85, 0],
        [0, 85, 171],
      ],
    ],
    [
      4,
      2,
      [
        [128, 128, 0],
        [0, 128, 128],
      ],
    ],
    [
      5,
      5,
      [
        [256, 0],
        [256, 0],
        [256, 0],
        [256, 0],
        [0, 256],
      ],
    ],
  ])('of %i by %i', (from, to, expected) => {
    const { count, weights } = coverage(from, to);
    expect(Array.from({ length: to }, (_, i) => [...weights.slice(i * count, (i + 1) * count)])).toEqual(
      expected,
    );
  });

  it.each([
    [768, 640],
    [1920, 640],
    [576, 480],
    [1279, 96],
    [641, 640],
    [7, 1],
  ])('shares %i among %i', (from, to) => {
    const { count, starts, weights } = coverage(from, to);
    const given = new Float64Array(from);
    for (let i = 0; i < to; i++) {
      const own = weights.slice(i * count, (i + 1) * count);
      expect(own.reduce((sum, weight) => sum + weight)).toBe(256);
      own.forEach((weight, tap) => (given[starts[i]! + tap]! += weight));
    }
    for (const sum of given) expect(Math.abs(sum - (256 * to) / from)).toBeLessThanOrEqual(2);
  });

  it('leaves an even picture even', () => {
    const { width, height, data } = analysedLuma(new Uint8Array(1001 * 333 * 3).fill(77), 1001, 333, 640);
    expect([width, height]).toEqual([640, 213]);
    expect(data.every((value) => value === 77)).toBe(true);
  });
});

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
