import { describe, expect, it } from 'vitest';
import { MotionEvidence, MotionStep } from '../../keyframes/keyframe-selector.js';
import { seededRandom } from '../../keyframes/random.js';
import { actionsOf } from './actions.js';
import { stepMotion } from './step-motion.js';

const [WIDTH, HEIGHT, HFOV] = [640, 360, 75];
const FOCAL = WIDTH / 2 / Math.tan((HFOV * Math.PI) / 360);

interface Movement {
  /** Right, down, ahead, in metres. */
  move?: [number, number, number];
  leftDeg?: number;
  upDeg?: number;
}

/** Matches of random points, 2 to 9 metres away, seen before and after a movement, with pixel noise and false matches. */
function stepOf(
  { move = [0, 0, 0], leftDeg = 0, upDeg = 0 }: Movement,
  { outliers = 0.25, noisePx = 0.8, seed = 1 } = {},
): MotionEvidence {
  const random = seededRandom(seed);
  const points: number[] = [];
  while (points.length < 4 * 200) {
    const [u, v, depth] = [random() * WIDTH, random() * HEIGHT, 2 + 7 * random()];
    const world = [
      ((u - WIDTH / 2) / FOCAL) * depth - move[0],
      ((v - HEIGHT / 2) / FOCAL) * depth - move[1],
      depth - move[2],
    ] as const;
    const turned = turn(world, leftDeg, upDeg);
    const noise = () => noisePx * (random() + random() + random() - 1.5) * 2;
    const [x, y] = [
      (turned[0] / turned[2]) * FOCAL + WIDTH / 2 + noise(),
      (turned[1] / turned[2]) * FOCAL + HEIGHT / 2 + noise(),
    ];
    if (turned[2] <= 0.2 || x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT) continue;
    if (random() < outliers) points.push(u, v, random() * WIDTH, random() * HEIGHT);
    else points.push(u, v, x, y);
  }
  return {
    fromTimestampMs: 0,
    toTimestampMs: 1000,
    width: WIDTH,
    height: HEIGHT,
    points: Float32Array.from(points),
    inliers: new Uint8Array(200),
    homography: null,
  };
}

/** A point in the axes of a camera that turned left and tilted up. */
function turn(
  [x, y, z]: readonly [number, number, number],
  leftDeg: number,
  upDeg: number,
): [number, number, number] {
  const a = (leftDeg * Math.PI) / 180;
  const [x1, z1] = [x * Math.cos(a) + z * Math.sin(a), -x * Math.sin(a) + z * Math.cos(a)];
  const b = (upDeg * Math.PI) / 180;
  return [x1, y * Math.cos(b) + z1 * Math.sin(b), -y * Math.sin(b) + z1 * Math.cos(b)];
}

describe('stepMotion', () => {
  it.each([
    ['move forward', { move: [0, 0, 0.7] }],
    ['move backward', { move: [0, 0, -0.7] }],
    ['move left', { move: [-0.7, 0, 0] }],
    ['move right', { move: [0.7, 0, 0] }],
    ['move upward', { move: [0, -0.7, 0] }],
    ['move downward', { move: [0, 0.7, 0] }],
  ] as [string, Movement][])('tells %s', (action, movement) => {
    for (let seed = 1; seed <= 4; seed++)
      expect(stepMotion(stepOf(movement, { seed }), HFOV)).toEqual({ leftDeg: 0, upDeg: 0, move: action });
  });

  it.each([
    ['rotate left', 1, 0],
    ['rotate right', -1, 0],
    ['tilt upward', 0, 1],
    ['tilt downward', 0, -1],
  ] as const)('tells %s and by how much', (action, left, up) => {
    for (const size of action.startsWith('rotate') ? [10, 30, 45] : [10, 20]) {
      for (let seed = 1; seed <= 2; seed++) {
        const motion = stepMotion(stepOf({ leftDeg: left * size, upDeg: up * size }, { seed }), HFOV)!;
        expect(motion.move).toBeNull();
        expect(Math.abs(motion.leftDeg - left * size)).toBeLessThan(1);
        expect(Math.abs(motion.upDeg - up * size)).toBeLessThan(1);
      }
    }
  });

  it('tells a turn and a move in one step apart', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const motion = stepMotion(stepOf({ leftDeg: 20, move: [0, 0, 0.8] }, { seed }), HFOV)!;
      expect(Math.abs(motion.leftDeg - 20)).toBeLessThan(2);
      expect(motion.move).toBe('move forward');
    }
  });

  it('tells an agent that stands still from matches too few to say anything', () => {
    expect(stepMotion(stepOf({}, { outliers: 0.1 }), HFOV)).toEqual({ leftDeg: 0, upDeg: 0, move: null });
    const few = stepOf({ leftDeg: 30 });
    expect(stepMotion({ ...few, points: few.points.slice(0, 40) }, HFOV)).toBeNull();
  });

  it('keeps its word when half of the matches are false', () => {
    const turned = stepMotion(stepOf({ leftDeg: 30 }, { outliers: 0.5 }), HFOV)!;
    expect([Math.round(turned.leftDeg), turned.move]).toEqual([30, null]);
    const moved = stepMotion(stepOf({ move: [0, 0, 0.7] }, { outliers: 0.5 }), HFOV)!;
    expect([moved.leftDeg, moved.move]).toEqual([0, 'move forward']);
  });
});

describe('actionsOf', () => {
  const measured = (movement: Movement): MotionStep => ({
    fromTimestampMs: 0,
    toTimestampMs: 1000,
    motion: stepMotion(stepOf(movement), HFOV),
  });
  const left30 = measured({ leftDeg: 30 });
  const right30 = measured({ leftDeg: -30 });
  const forward = measured({ move: [0, 0, 0.7] });

  it('adds up what goes on and rounds to fifteen degrees', () => {
    expect(actionsOf([left30, left30, measured({ leftDeg: 31 })])).toEqual([
      { action: 'rotate left', degrees: 90 },
    ]);
  });

  it('keeps the order of different actions', () => {
    expect(actionsOf([forward, forward, left30, forward])).toEqual([
      { action: 'move forward', degrees: null },
      { action: 'rotate left', degrees: 30 },
      { action: 'move forward', degrees: null },
    ]);
  });

  it('lets a turn there and back cancel', () => {
    expect(actionsOf([left30, right30])).toEqual([]);
    expect(actionsOf([left30, right30, right30])).toEqual([{ action: 'rotate right', degrees: 30 }]);
  });
});
