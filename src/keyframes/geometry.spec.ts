import { describe, expect, it } from 'vitest';
import { Homography, normalize, project } from './homography.js';
import { clipToRectangle, overlapRatio, signedArea, warpOutline } from './overlap.js';
import { isPlausible } from './plausibility.js';
import { seededRandom } from './random.js';
import { fitHomography } from './ransac.js';

const [WIDTH, HEIGHT] = [640, 360];
const TILTED = Float64Array.of(0.95, -0.12, 40, 0.1, 1.02, -25, 1e-4, -5e-5, 1);
const shift = (x: number, y: number): Homography => Float64Array.of(1, 0, x, 0, 1, y, 0, 0, 1);

/** Pairs under a map, with noise, and a share of false ones. */
function pairs(h: Homography, { count = 200, outliers = 0, noise = 0.3, seed = 1 } = {}): Float32Array {
  const random = seededRandom(seed);
  return Float32Array.from(
    Array.from({ length: count }, () => {
      const [x, y] = [random() * WIDTH, random() * HEIGHT];
      const [u, v] = random() < outliers ? [random() * WIDTH, random() * HEIGHT] : project(h, x, y)!;
      return [x, y, u + noise * (random() - 0.5), v + noise * (random() - 0.5)];
    }).flat(),
  );
}

function worstCornerError(found: Homography, truth: Homography): number {
  const corners = [[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]] as const; // prettier-ignore
  return Math.max(
    ...corners.map(([x, y]) => {
      const [a, b] = [project(found, x, y)!, project(truth, x, y)!];
      return Math.hypot(a[0] - b[0], a[1] - b[1]);
    }),
  );
}

describe('fitHomography', () => {
  it.each([0, 0.3, 0.6])('finds a tilted plane among a share of %f false pairs', (outliers) => {
    for (let seed = 1; seed <= 5; seed++) {
      const fit = fitHomography(pairs(TILTED, { outliers, seed }), 5)!;
      expect(worstCornerError(fit.homography, TILTED)).toBeLessThan(1);
      expect(Math.abs(fit.inlierCount / 200 - (1 - outliers))).toBeLessThan(0.12);
    }
  });

  it('finds the same map again', () => {
    const points = pairs(TILTED, { outliers: 0.5 });
    expect(fitHomography(points, 5)).toEqual(fitHomography(points, 5));
  });

  it('finds none for three pairs, or for pairs on one line', () => {
    expect(fitHomography(pairs(TILTED, { count: 3 }), 5)).toBeNull();
    const line = Float32Array.from(Array.from({ length: 50 }, (_, i) => [i, 2 * i, i + 3, 2 * i + 6]).flat());
    expect(fitHomography(line, 5)).toBeNull();
  });
});

describe('overlapRatio', () => {
  const ratio = (h: Homography) => overlapRatio(warpOutline(h, WIDTH, HEIGHT)!, WIDTH, HEIGHT);

  it.each([
    ['nothing moved', shift(0, 0), 1],
    ['half a width', shift((WIDTH - 1) / 2, 0), 0.5],
    ['half a width and half a height', shift((1 - WIDTH) / 2, (HEIGHT - 1) / 2), 0.25],
    ['a whole width', shift(WIDTH, 0), 0],
    ['twice the size around the corner', Float64Array.of(2, 0, 0, 0, 2, 0, 0, 0, 1), 1],
    ['half the size', Float64Array.of(0.5, 0, 0, 0, 0.5, 0, 0, 0, 1), 0.25],
    ['upside down', Float64Array.of(-1, 0, WIDTH - 1, 0, -1, HEIGHT - 1, 0, 0, 1), 1],
  ])('of %s', (_, h, expected) => {
    expect(ratio(h)).toBeCloseTo(expected, 9);
  });

  it('is what counting covered pixels gives', () => {
    const back = normalize(TILTED)!;
    let covered = 0;
    const outline = warpOutline(back, WIDTH, HEIGHT)!;
    const inside = (x: number, y: number) => {
      for (let i = 0; i < outline.length; i += 2) {
        const j = (i + 2) % outline.length;
        const cross =
          (outline[j]! - outline[i]!) * (y - outline[i + 1]!) -
          (outline[j + 1]! - outline[i + 1]!) * (x - outline[i]!);
        if (cross < 0) return false;
      }
      return true;
    };
    for (let y = 0; y < HEIGHT; y += 2) for (let x = 0; x < WIDTH; x += 2) covered += inside(x, y) ? 1 : 0;
    expect(ratio(TILTED)).toBeCloseTo(covered / ((WIDTH * HEIGHT) / 4), 2);
  });

  it('has no outline for a corner beyond the horizon', () => {
    expect(warpOutline(Float64Array.of(1, 0, 0, 0, 1, 0, -0.01, 0, 1), WIDTH, HEIGHT)).toBeNull();
  });

  it('clips to nothing what lies outside', () => {
    expect(clipToRectangle([-5, -5, -1, -5, -1, -1], 10, 10)).toEqual([]);
    expect(signedArea(clipToRectangle([-10, -10, 20, -10, 20, 20, -10, 20], 10, 10))).toBe(100);
  });
});

describe('isPlausible', () => {
  const evidence = { matchCount: 100, inlierCount: 60, width: WIDTH, height: HEIGHT };
  const outlineOf = (h: Homography) => warpOutline(h, WIDTH, HEIGHT);

  it('takes a view of the same scene', () => {
    expect(isPlausible({ ...evidence, outline: outlineOf(TILTED) }, 0.12)).toBe(true);
  });

  it.each([
    ['too few inliers', { inlierCount: 9 }],
    ['too small a share of inliers', { matchCount: 600 }],
    ['no outline', { outline: null }],
    ['a fold', { outline: [0, 0, 639, 359, 639, 0, 0, 359] }],
    ['a mirrored view', { outline: [639, 0, 0, 0, 0, 359, 639, 359] }],
    ['a sliver', { outline: [0, 0, 639, 0, 639, 3, 0, 3] }],
    ['a view blown up beyond reason', { outline: outlineOf(Float64Array.of(5, 0, 0, 0, 5, 0, 0, 0, 1)) }],
  ])('refuses %s', (_, change) => {
    expect(isPlausible({ ...evidence, outline: outlineOf(TILTED), ...change }, 0.12)).toBe(false);
  });
});
