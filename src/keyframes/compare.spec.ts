import { describe, expect, it } from 'vitest';
import { paintTexture } from '../../bench/keyframes/scenes/texture.js';
import { Frame } from '../frames/frame.js';
import { compareViews } from './compare.js';
import { decide, SelectorState } from './decide.js';
import { project } from './homography.js';
import { MotionEvidence } from './keyframe-selector.js';
import { resolveSelectorOptions } from './selector-options.js';
import { lookAt } from './view.js';

const OPTIONS = resolveSelectorOptions({ maxGapMs: 0 });
const surface = paintTexture(1500, 900, 83).levels[0]!;

/** The surface from a place on, in pixels of the frame; each band of rows may be moved further. */
function crop(
  index: number,
  { width, height }: { width: number; height: number },
  at: readonly [number, number],
  bandShift: (row: number) => number = () => 0,
): Frame {
  const rgb = new Uint8Array(width * height * 3);
  for (let y = 0; y < height; y++) {
    const start = 3 * ((at[1] + y) * surface.width + at[0] + bandShift(y));
    rgb.set(surface.rgb.subarray(start, start + 3 * width), 3 * y * width);
  }
  return { index, timestampMs: 1000 * index, width, height, rgb };
}

function decideAll(frames: readonly Frame[]) {
  let state: SelectorState | null = null;
  return frames.map((frame) => {
    const step = decide(state, frame, OPTIONS);
    ({ state } = step);
    return step.decision;
  });
}

/** Where the pairs that agree have moved, on average. */
function meanShift({ points, inliers }: MotionEvidence): [number, number] {
  let [x, y, count] = [0, 0, 0];
  inliers.forEach((agrees, i) => {
    x += agrees * (points[4 * i + 2]! - points[4 * i]!);
    y += agrees * (points[4 * i + 3]! - points[4 * i + 1]!);
    count += agrees;
  });
  return [x / count, y / count];
}

function expectNear(found: readonly [number, number] | null, wanted: readonly [number, number], by: number) {
  expect(Math.hypot(found![0] - wanted[0], found![1] - wanted[1])).toBeLessThan(by);
}

describe.each([
  { width: 640, height: 360 },
  { width: 1280, height: 720 },
  { width: 960, height: 540 },
])('frames of $width × $height under a camera that moves on', (size) => {
  const decisions = decideAll([
    crop(0, size, [0, 0]),
    crop(1, size, [60, 24]),
    crop(2, size, [160, 48]),
    crop(3, size, [160, 96]),
  ]);

  it('are mapped to the last keyframe in pixels of the frame', () => {
    const moved = [[60, 24], [160, 48], [160, 96]] as const; // prettier-ignore
    decisions.slice(1).forEach(({ keep, homography, overlapRatio }, i) => {
      const [x, y] = moved[i]!;
      expect(keep).toBe(false);
      // Less is shared towards the corner that the camera moved to, so the map is less sure there.
      expectNear(project(homography!, 100, 50), [100 + x, 50 + y], 1);
      expectNear(project(homography!, size.width, size.height), [size.width + x, size.height + y], 4);
      expect(overlapRatio).toBeCloseTo((1 - x / size.width) * (1 - y / size.height), 2);
    });
  });

  it('carry the movement since the frame before, not since the keyframe', () => {
    const moved = [[60, 24], [100, 24], [0, 48]] as const; // prettier-ignore
    decisions.slice(1).forEach(({ step, timestampMs }, i) => {
      const [x, y] = moved[i]!;
      expect(step).toMatchObject({
        ...size,
        fromTimestampMs: timestampMs - 1000,
        toTimestampMs: timestampMs,
      });
      // The camera moves right, so what it sees moves left.
      expectNear(meanShift(step!), [-x, -y], 1);
      expectNear(project(step!.homography!, 300, 200), [300 - x, 200 - y], 1.5);
    });
  });

  it('have matched points where the frame has them', () => {
    const { points, inliers } = decisions[1]!.step!;
    const bright = (frame: Frame, x: number, y: number) =>
      frame.rgb[3 * (Math.round(y) * size.width + Math.round(x)) + 1]!;
    const [before, after] = [crop(0, size, [0, 0]), crop(1, size, [60, 24])];
    const differences = [...inliers.keys()]
      .filter((i) => inliers[i] === 1)
      .map((i) =>
        Math.abs(
          bright(before, points[4 * i]!, points[4 * i + 1]!) -
            bright(after, points[4 * i + 2]!, points[4 * i + 3]!),
        ),
      )
      .sort((a, b) => a - b);
    expect(differences.length).toBeGreaterThan(100);
    expect(differences[Math.floor(differences.length / 2)]).toBeLessThan(12);
  });
});

it('asks of a match the same share of the view at every size', () => {
  // Bands of rows that move by 40 and by 54 in 640: no map within 5 pixels of both, but one within 10.
  const share = (scale: number) => {
    const size = { width: 640 * scale, height: 360 * scale };
    const still = lookAt(crop(0, size, [0, 0]), OPTIONS);
    const bands = (row: number) => (Math.floor(row / (60 * scale)) % 2) * 14 * scale;
    const moved = lookAt(crop(1, size, [40 * scale, 0], bands), OPTIONS);
    const { matches, inlierCount } = compareViews(moved, still, OPTIONS);
    expect(matches.count).toBeGreaterThan(100);
    return inlierCount / matches.count;
  };
  for (const scale of [0.5, 1]) expect(share(scale)).toBeLessThan(0.7);
});

it('gives no map where two views have nothing in common', () => {
  const size = { width: 640, height: 360 };
  const views = [crop(0, size, [0, 0]), crop(1, size, [800, 500])].map((frame) => lookAt(frame, OPTIONS));
  const { homography, overlapRatio, matches } = compareViews(views[1]!, views[0]!, OPTIONS);
  expect(matches.count).toBeGreaterThan(OPTIONS.minMatches);
  expect([homography, overlapRatio]).toEqual([null, null]);
});
