import { describe, expect, it } from 'vitest';
import { Homography, invert, multiply, project } from './homography.js';
import { clipToSide, overlapRatio, signedArea, warpOutline } from './overlap.js';
import { isPlausible } from './plausibility.js';
import { seededRandom } from './random.js';
import { fitHomography } from './ransac.js';

const [WIDTH, HEIGHT] = [640, 360];
const TILTED = Float64Array.of(0.95, -0.12, 40, 0.1, 1.02, -25, 1e-4, -5e-5, 1);
const shift = (x: number, y: number): Homography => Float64Array.of(1, 0, x, 0, 1, y, 0, 0, 1);

/** The map from the view after a turn to the one before; 75° wide, so that turns over 52° show beyond the horizon. */
function turned(degrees: number, axis: 'pan' | 'tilt' = 'pan'): Homography {
  const focal = WIDTH / 2 / Math.tan((75 * Math.PI) / 360);
  const camera = Float64Array.of(focal, 0, WIDTH / 2, 0, focal, HEIGHT / 2, 0, 0, 1);
  const [c, s] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)];
  const rotation =
    axis === 'pan'
      ? Float64Array.of(c, 0, s, 0, 1, 0, -s, 0, c)
      : Float64Array.of(1, 0, 0, 0, c, -s, 0, s, c);
  return multiply(multiply(camera, rotation), invert(camera));
}

const inView = (x: number, y: number) => x >= 0 && y >= 0 && x <= WIDTH - 1 && y <= HEIGHT - 1;

/** Pairs under a map that both views show, with noise, and a share of false ones. */
function pairs(h: Homography, { count = 200, outliers = 0, noise = 0.3, seed = 1 } = {}): Float32Array {
  const random = seededRandom(seed);
  const place = () => [random() * WIDTH, random() * HEIGHT] as const;
  const pair = (): readonly number[] => {
    const [x, y] = place();
    const image = project(h, x, y);
    return image !== null && inView(...image) ? [x, y, ...image] : pair();
  };
  return Float32Array.from(
    Array.from({ length: count }, () => {
      const [x, y, u, v] = random() < outliers ? [...place(), ...place()] : pair();
      return [x!, y!, u! + noise * (random() - 0.5), v! + noise * (random() - 0.5)];
    }).flat(),
  );
}

/** Share of the earlier picture's pixels that the current view shows. */
function countCovered(h: Homography): number {
  const back = invert(h);
  let covered = 0;
  for (let y = 0; y < HEIGHT; y += 2) {
    for (let x = 0; x < WIDTH; x += 2) {
      const seen = project(back, x, y);
      if (seen !== null && inView(...seen)) covered++;
    }
  }
  return covered / ((WIDTH * HEIGHT) / 4);
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

  it.each([-66, -45, 45, 66])('finds a turn of %i°, whichever corner is beyond the horizon', (degrees) => {
    for (let seed = 1; seed <= 5; seed++) {
      const fit = fitHomography(pairs(turned(degrees), { outliers: 0.3, noise: 0, seed }), 5)!;
      expect(Math.abs(fit.inlierCount / 200 - 0.7)).toBeLessThan(0.12);
      expect(overlapRatio(fit.homography, WIDTH, HEIGHT)).toBeCloseTo(countCovered(turned(degrees)), 2);
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
  const ratio = (h: Homography) => overlapRatio(h, WIDTH, HEIGHT);

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

  it.each<readonly [string, Homography]>([
    ['a tilted plane', TILTED],
    ...[10, -30, 45, -45, 60, -60, 74].map((degrees) => [`a pan of ${degrees}°`, turned(degrees)] as const),
    ...[20, -20, 40].map((degrees) => [`a tilt of ${degrees}°`, turned(degrees, 'tilt')] as const),
    ['a turn all round', turned(180)],
  ])('is what counting covered pixels gives for %s', (_, h) => {
    expect(ratio(h)).toBeCloseTo(countCovered(h), 2);
    expect(ratio(h.map((value) => 7 * value))).toBeCloseTo(ratio(h), 9);
  });

  it('has no outline for a corner beyond the horizon', () => {
    expect(warpOutline(turned(-60), WIDTH, HEIGHT)).toBeNull();
    expect(warpOutline(turned(60), WIDTH, HEIGHT)).toBeNull();
  });

  it('clips to the near side of a line', () => {
    const square = [0, 0, 10, 0, 10, 10, 0, 10];
    expect(signedArea(clipToSide(square, [1, 0, -4]))).toBe(60);
    expect(signedArea(clipToSide(square, [-1, -1, 10]))).toBe(50);
    expect(clipToSide(square, [0, -1, -1])).toEqual([]);
    expect(clipToSide(square, [0, 1, 1])).toEqual(square);
  });
});

describe('isPlausible', () => {
  function evidence(h: Homography, { count = 100, agree = 60 } = {}) {
    const inliers = Uint8Array.from({ length: count }, (_, i) => (i < agree ? 1 : 0));
    const points = Float32Array.from({ length: 4 * count }, () => 100);
    return { homography: h, points, inliers, inlierCount: agree, width: WIDTH, height: HEIGHT };
  }
  const scaled = (x: number, y: number) => Float64Array.of(x, 0, 0, 0, y, 0, 0, 0, 1);

  it.each([
    ['a tilted plane', TILTED, {}],
    ['a view half as large', scaled(0.5, 0.5), {}],
    ['a wide turn on good evidence', turned(60), { agree: 25 }],
    ['a view next to the last', shift(-600, 0), { agree: 13 }],
  ])('takes %s', (_, h, counts) => {
    expect(isPlausible(evidence(h, counts), 0.12)).toBe(true);
  });

  it.each([
    ['too few inliers', TILTED, { count: 20, agree: 9 }],
    ['too small a share of inliers', TILTED, { count: 600 }],
    ['a wide turn on weak evidence', turned(60), { agree: 19 }],
    ['a mirrored view', Float64Array.of(-1, 0, WIDTH - 1, 0, 1, 0, 0, 0, 1), {}],
    ['a sliver', scaled(1, 0.01), {}],
    ['a view blown up beyond reason', scaled(5, 5), {}],
    ['a map that is no map', new Float64Array(9), {}],
  ])('refuses %s', (_, h, counts) => {
    expect(isPlausible(evidence(h, counts), 0.12)).toBe(false);
  });
});
