import { describe, expect, it } from 'vitest';
import { makePlanarScene } from '../../bench/keyframes/scenes/planar-scene.js';
import { paintTexture } from '../../bench/keyframes/scenes/texture.js';
import { Frame } from '../frames/frame.js';
import { decide, SelectorState } from './decide.js';
import { extractFeatures } from './features.js';
import { KeyframeDecision, MotionEvidence } from './keyframe-selector.js';
import { matchFeatures } from './matcher.js';
import { seededRandom } from './random.js';
import { resolveSelectorOptions, SelectorOptions } from './selector-options.js';
import { thumbnailDifference } from './thumbnail.js';
import { lookAt } from './view.js';

const [WIDTH, HEIGHT] = [640, 360];

const texture = paintTexture(900, 700, 31);
const scene = makePlanarScene({ name: 'walk', heldOut: true, texture, frameCount: 24, seed: 5, zoom: 0.5 });
const walk = Array.from({ length: scene.frameCount }, (_, i) => frame(i, scene.render(i)));

function frame(index: number, rgb: Uint8Array, width = WIDTH, height = HEIGHT): Frame {
  return { index, timestampMs: index * 1000, width, height, rgb };
}

/** A wall without texture, under grey noise of a standard deviation. */
function plain(index: number, level: number, deviation = 1): Frame {
  const random = seededRandom(index + 1);
  const rgb = new Uint8Array(WIDTH * HEIGHT * 3);
  for (let i = 0; i < rgb.length; i += 3) {
    rgb.fill(level + 2 * deviation * (random() + random() + random() - 1.5), i, i + 3);
  }
  return frame(index, rgb);
}

/** Each frame once and in order, nothing but the state between them. */
function decideAll(
  frames: readonly Frame[],
  given: Partial<SelectorOptions> = {},
): KeyframeDecision<MotionEvidence>[] {
  const options = resolveSelectorOptions({ maxGapMs: 0, ...given });
  let state: SelectorState | null = null;
  return frames.map((next) => {
    const step = decide(state, next, options);
    ({ state } = step);
    return step.decision;
  });
}

describe('a camera over a textured plane', () => {
  const decisions = decideAll(walk);

  it('has the overlap that is known, and is decided by it', () => {
    let keyframe = 0;
    let found = 0;
    for (const { frameIndex, overlapRatio, keep, reason } of decisions.slice(1)) {
      const truth = scene.trueOverlap(frameIndex, keyframe);
      // A view that shows little of the last keyframe may share too few corners with it to say how little.
      if (overlapRatio === null) expect([reason, truth < 0.5]).toEqual(['lost_track', true]);
      else {
        found++;
        expect(Math.abs(overlapRatio - truth)).toBeLessThan(0.02);
        if (Math.abs(truth - 0.5) > 0.02) expect(keep).toBe(truth < 0.5);
        expect(reason).toBe(keep ? 'low_overlap' : 'overlapping');
      }
      if (keep) keyframe = frameIndex;
    }
    expect(found).toBeGreaterThan(15);
    expect(decisions.filter(({ keep }) => keep).length).toBeGreaterThan(3);
  });

  it('carries its evidence, and the movement since the frame before', () => {
    expect(decisions[0]).toMatchObject({ keep: true, reason: 'first', overlapRatio: null, step: null });
    for (const { matchCount, inlierCount, overlapRatio, homography, step, timestampMs } of decisions.slice(
      1,
    )) {
      expect(matchCount).toBeGreaterThanOrEqual(inlierCount);
      if (overlapRatio === null) expect(homography).toBeNull();
      else {
        expect(inlierCount).toBeGreaterThan(20);
        expect(homography).toHaveLength(9);
      }
      expect(step).toMatchObject({ fromTimestampMs: timestampMs - 1000, toTimestampMs: timestampMs });
      expect(step!.points.length).toBe(4 * step!.inliers.length);
    }
  });

  it('is decided the same again', () => {
    expect(decideAll(walk)).toEqual(decisions);
  });

  it('is decided from the past alone', () => {
    expect(decideAll(walk.slice(0, 9))).toEqual(decisions.slice(0, 9));
  });
});

describe('a camera that sees little', () => {
  it('keeps the first of many blank frames and no other', () => {
    const blank = decideAll(Array.from({ length: 8 }, (_, i) => plain(i, 120)));
    expect(blank.map(({ keep }) => keep)).toEqual([true, ...Array<boolean>(7).fill(false)]);
    expect(blank.slice(1).every(({ reason }) => reason === 'texture_poor')).toBe(true);
  });

  it('takes the noise of a dim room for no texture', () => {
    const dim = decideAll(Array.from({ length: 4 }, (_, i) => plain(i, 90, 8)));
    expect(dim.map(({ reason }) => reason)).toEqual([
      'first',
      'texture_poor',
      'texture_poor',
      'texture_poor',
    ]);
    for (const { matchCount } of dim.slice(1)) expect(matchCount).toBeGreaterThan(50);
  });

  it('keeps a blank frame of another brightness', () => {
    const decisions = decideAll([plain(0, 60), plain(1, 62), plain(2, 160)]);
    expect(decisions.map(({ keep, reason }) => [keep, reason])).toEqual([
      [true, 'first'],
      [false, 'texture_poor'],
      [true, 'lost_track'],
    ]);
  });

  it.each([WIDTH, WIDTH / 2, WIDTH / 4])('keeps what follows a cut in pictures %i wide', (width) => {
    const height = (width * 9) / 16;
    const [here, elsewhere] = [31, 77].map((seed) => {
      const texture = paintTexture(900, 700, seed);
      const options = { name: '', heldOut: true, texture, frameCount: 1, seed, zoom: 0.5, width, height };
      return makePlanarScene(options).render(0);
    });
    const [, same, cut] = decideAll([
      frame(0, here!, width, height),
      frame(1, here!, width, height),
      frame(2, elsewhere!, width, height),
    ]);
    expect([same!.reason, cut!.keep]).toEqual(['overlapping', true]);
  });

  it.each([WIDTH, WIDTH / 2])('keeps what follows a cut in pale pictures %i wide', (width) => {
    const height = (width * 9) / 16;
    // So pale that thumbnails are alike, and only the texture tells.
    const [here, elsewhere] = [31, 77].map((seed) => {
      const texture = paintTexture(900, 700, seed);
      const options = { name: '', heldOut: true, texture, frameCount: 1, seed, zoom: 0.5, width, height };
      return makePlanarScene(options)
        .render(0)
        .map((value) => 128 + (value - 128) / 4);
    });
    const frames = [here!, here!, elsewhere!].map((rgb, index) => frame(index, rgb, width, height));
    const [first, , other] = frames.map((next) => lookAt(next, resolveSelectorOptions()).thumbnail);
    expect(thumbnailDifference(first!, other!)).toBeLessThan(16);
    expect(decideAll(frames).map(({ reason }) => reason)).toEqual(['first', 'overlapping', 'lost_track']);
  });
});

describe('limits', () => {
  it('keeps a frame after the longest gap, whatever it shows', () => {
    const still = Array.from({ length: 6 }, (_, i) => frame(i, walk[0]!.rgb));
    const decisions = decideAll(still, { maxGapMs: 2000 });
    expect(decisions.map(({ reason }) => reason)).toEqual([
      'first', 'overlapping', 'max_gap', 'overlapping', 'max_gap', 'overlapping',
    ]); // prettier-ignore
    expect(decisions[1]!.overlapRatio).toBeCloseTo(1, 2);
  });

  it('keeps more with a higher threshold', () => {
    const keeps = (overlapThreshold: number) =>
      decideAll(walk, { overlapThreshold }).filter(({ keep }) => keep).length;
    expect(keeps(0.8)).toBeGreaterThan(keeps(0.5));
    expect(keeps(0.5)).toBeGreaterThan(keeps(0.1));
  });

  it('starts over when the picture changes its size', () => {
    const small = frame(1, new Uint8Array(320 * 180 * 3).fill(90), 320, 180);
    expect(decideAll([walk[0]!, small])[1]).toMatchObject({ keep: true, reason: 'first' });
  });

  it('takes pictures too small for any feature', () => {
    const tiny = (index: number) => frame(index, new Uint8Array(20 * 20 * 3).fill(50), 20, 20);
    expect(decideAll([tiny(0), tiny(1)]).map(({ reason }) => reason)).toEqual(['first', 'texture_poor']);
  });

  it('refuses an option out of range by name', () => {
    expect(() => resolveSelectorOptions({ overlapThreshold: 1.5 })).toThrow(
      /overlapThreshold is 1.5; .* from 0 to 1/,
    );
  });
});

describe('features', () => {
  const gray = (rgb: Uint8Array) => ({
    width: WIDTH,
    height: HEIGHT,
    data: Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => rgb[3 * i]!),
  });

  it('are found all over the view, not only on what is most textured', () => {
    const image = gray(walk[0]!.rgb);
    const random = seededRandom(3);
    for (let y = 40; y < 120; y++) for (let x = 40; x < 120; x++) image.data[y * WIDTH + x] = 255 * random();
    const { count, xs, ys } = extractFeatures(image, 500);
    const noisy = Array.from({ length: count }, (_, i) => xs[i]! < 130 && ys[i]! < 130).filter(
      Boolean,
    ).length;
    expect(count).toBeGreaterThan(300);
    expect(noisy / count).toBeLessThan(0.5);
  });

  it('match themselves after a shift', () => {
    const image = gray(walk[0]!.rgb);
    const moved = { ...image, data: new Uint8Array(image.data.length) };
    for (let y = 0; y < HEIGHT; y++)
      for (let x = 24; x < WIDTH; x++) moved.data[y * WIDTH + x] = image.data[y * WIDTH + x - 24]!;
    const { count, points } = matchFeatures(extractFeatures(image, 500), extractFeatures(moved, 500));
    const right = Array.from({ length: count }, (_, i) =>
      Math.hypot(points[4 * i + 2]! - points[4 * i]! - 24, points[4 * i + 3]! - points[4 * i + 1]!),
    ).filter((error) => error < 2);
    expect(right.length / count).toBeGreaterThan(0.8);
    expect(count).toBeGreaterThan(150);
  });
});
