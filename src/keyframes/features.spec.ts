import { describe, expect, it } from 'vitest';
import { paintTexture, sample, Texture } from '../../bench/keyframes/scenes/texture.js';
import { pickCorners } from './corners.js';
import { extractFeatures } from './features.js';
import { GrayImage } from './gray-image.js';
import { kernel } from './kernel/kernel.js';
import { matchFeatures } from './matcher.js';
import { nextLevelSize, shrinkByTwoThirds, toBaseCoordinate } from './pyramid.js';
import { makeThumbnail, thumbnailDifference } from './thumbnail.js';

const SIZE = 300;
const texture = paintTexture(900, 900, 61);

/** The same place of a surface, turned about the middle of the view and seen from further away. */
function look(surface: Texture, degrees: number, distance: number): GrayImage {
  const data = new Uint8Array(SIZE * SIZE);
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const colour = new Float32Array(3);
  for (let i = 0; i < data.length; i++) {
    const [x, y] = [(i % SIZE) - SIZE / 2, Math.floor(i / SIZE) - SIZE / 2];
    sample(surface, 450 + distance * (c * x - s * y), 450 + distance * (s * x + c * y), distance, colour);
    data[i] = colour[1]!;
  }
  return { width: SIZE, height: SIZE, data };
}

/** Matches between two views, and the share of them that fall where the surface says. */
function matchViews(degrees: number, distance: number): { count: number; right: number } {
  const [from, to] = [look(texture, 0, 1), look(texture, degrees, distance)];
  const { count, points } = matchFeatures(extractFeatures(from, 400), extractFeatures(to, 400));
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  let right = 0;
  for (let i = 0; i < 4 * count; i += 4) {
    const [x, y] = [points[i + 2]! - SIZE / 2, points[i + 3]! - SIZE / 2];
    const dx = SIZE / 2 + distance * (c * x - s * y) - points[i]!;
    const dy = SIZE / 2 + distance * (s * x + c * y) - points[i + 1]!;
    right += Number(Math.hypot(dx, dy) < 4);
  }
  return { count, right: right / count };
}

describe('features', () => {
  it.each([
    [30, 1],
    [90, 1],
    [-135, 1],
    [0, 1.5],
    [0, 1 / 1.5],
    [45, 1.3],
  ])('match after a turn of %i° and from %f times as far', (degrees, distance) => {
    const { count, right } = matchViews(degrees, distance);
    expect(count).toBeGreaterThan(60);
    expect(right).toBeGreaterThan(0.5);
  });
});

describe('pickCorners', () => {
  /** Bright squares on black, each fainter than the one before. */
  function squares(count: number): GrayImage {
    const [width, height] = [64 * count, 80];
    const data = new Uint8Array(width * height);
    for (let n = 0; n < count; n++) {
      for (let y = 30; y < 50; y++) data.fill(250 - 40 * n, y * width + 64 * n + 22, y * width + 64 * n + 42);
    }
    return { width, height, data };
  }

  it('takes each corner once, the strongest first', () => {
    const image = squares(5);
    const { count, xs, ys, responses } = pickCorners(image, kernel.scoreCorners(image, 10, 18), 8);
    expect(count).toBe(8);
    // Four corners each of the two brightest squares.
    for (let i = 0; i < count; i++) expect(Math.floor(xs[i]! / 64)).toBe(i < 4 ? 0 : 1);
    for (let i = 1; i < count; i++) expect(responses[i]!).toBeLessThanOrEqual(responses[i - 1]!);
    for (let i = 0; i < count; i++) {
      for (let j = 0; j < i; j++) {
        expect(Math.hypot(xs[i]! - xs[j]!, ys[i]! - ys[j]!)).toBeGreaterThan(5);
      }
    }
  });
});

describe('the pyramid', () => {
  it('averages three pixels into two by area', () => {
    const from: GrayImage = {
      width: 6,
      height: 6,
      data: Uint8Array.from({ length: 36 }, (_, i) => (37 * i * i) % 251),
    };
    const to: GrayImage = { ...nextLevelSize(6, 6), data: new Uint8Array(16) };
    shrinkByTwoThirds(from, to);
    for (let y = 0; y < 4; y++) {
      for (let x = 0; x < 4; x++) {
        let sum = 0;
        // In ninths of an output pixel, of which each side is 1.5 input pixels.
        for (let j = 0; j < 3; j++) {
          for (let i = 0; i < 3; i++) {
            sum += from.data[Math.floor((3 * y + j) / 2) * 6 + Math.floor((3 * x + i) / 2)]!;
          }
        }
        expect(Math.abs(to.data[4 * y + x]! - sum / 9)).toBeLessThanOrEqual(0.5 + 1e-9);
      }
    }
  });

  it('keeps the edges of the picture where they are on every level', () => {
    for (const level of [0, 1, 2, 3]) {
      expect(toBaseCoordinate(-0.5, level)).toBeCloseTo(-0.5, 12);
      expect(toBaseCoordinate(640 / 1.5 ** level - 0.5, level)).toBeCloseTo(639.5, 9);
    }
  });
});

describe('thumbnails', () => {
  const [width, height] = [160, 90];

  it('hold the brightness of each cell of the picture', () => {
    const cell = (x: number, y: number) => Math.floor(y / 10) * 16 + Math.floor(x / 10);
    const data = Uint8Array.from({ length: width * height }, (_, i) =>
      cell(i % width, Math.floor(i / width)),
    );
    expect([...makeThumbnail({ width, height, data })]).toEqual(Array.from({ length: 144 }, (_, i) => i));
  });

  it.each([
    [161, 91],
    [333, 77],
    [33, 19],
  ])('of an even picture of %i × %i are even', (w, h) => {
    const thumbnail = makeThumbnail({ width: w, height: h, data: new Uint8Array(w * h).fill(83) });
    for (const mean of thumbnail) expect(mean).toBeCloseTo(83, 4);
  });

  it('differ when a bright thing has moved, though the whole is as bright', () => {
    const withBar = (left: number) => {
      const data = new Uint8Array(width * height);
      for (let y = 0; y < height; y++) data.fill(200, y * width + left, y * width + left + 20);
      return makeThumbnail({ width, height, data });
    };
    expect(thumbnailDifference(withBar(20), withBar(20))).toBe(0);
    expect(thumbnailDifference(withBar(20), withBar(100))).toBeCloseTo(50, 4);
    expect(thumbnailDifference(withBar(100), withBar(20))).toBeCloseTo(50, 4);
  });
});
