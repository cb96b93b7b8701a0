import { MotionEvidence, StepMotion } from '../../keyframes/keyframe-selector.js';
import { seededRandom } from '../../keyframes/random.js';
import { AgentAction } from '../percept.js';
import { modelCost, ModelShape } from './model-cost.js';
import { NO_TURN, RayPairs, Rotation, toRays, turnFirst } from './rays.js';
import { refinePose, RelativePose } from './relative-pose.js';
import { epipolarResiduals, turnResiduals } from './residuals.js';
import { anglesOf, fitRotation } from './rotation.js';
import { Direction, fitTranslation } from './translation.js';

/** Fewer matches say nothing. */
const MIN_MATCHES = 12;
/** How far a match may lie from what a hypothesis predicts, in pixels of a 640-wide frame. */
const TOLERANCE_PX = 4;
/** Standard deviation of a good match, in pixels of a 640-wide frame. */
const SIGMA_PX = 1.6;
/** A turn or tilt below this is noise. */
const MIN_TURN_DEG = 2.5;

const STAYING: ModelShape = { tied: 2, parameters: 0 };
const TURNING: ModelShape = { tied: 2, parameters: 3 };
const MOVING: ModelShape = { tied: 1, parameters: 2 };
const BOTH: ModelShape = { tied: 1, parameters: 5 };

interface Explanation {
  cost: number;
  rotation: Rotation;
  direction: Direction | null;
}

/** Whether the camera stayed, turned, moved, or both: what explains the matches at the least cost. Null when too few. */
export function stepMotion(step: MotionEvidence, hfovDeg: number): StepMotion | null {
  const rays = toRays(step, hfovDeg);
  if (rays.count < MIN_MATCHES) return null;
  const best = explanations(rays, step.width / 640).reduce((a, b) => (b.cost < a.cost ? b : a));
  const { leftDeg, upDeg } = anglesOf(best.rotation);
  return {
    leftDeg: Math.abs(leftDeg) < MIN_TURN_DEG ? 0 : leftDeg,
    upDeg: Math.abs(upDeg) < MIN_TURN_DEG ? 0 : upDeg,
    move: best.direction === null ? null : moveAction(best.direction),
  };
}

function explanations(rays: RayPairs, scale: number): Explanation[] {
  const tolerance = TOLERANCE_PX * scale;
  const sigma = SIGMA_PX * scale;
  const random = seededRandom(rays.count);
  const turned = (rotation: Rotation, shape: ModelShape): Explanation => ({
    cost: modelCost(turnResiduals(rays, rotation), sigma, shape),
    rotation,
    direction: null,
  });
  const moved = ({ rotation, direction }: RelativePose, shape: ModelShape): Explanation => ({
    cost: modelCost(epipolarResiduals(rays, rotation, direction), sigma, shape),
    rotation,
    direction,
  });
  const found = [turned(NO_TURN, STAYING)];
  const turn = fitRotation(rays, tolerance, random);
  if (turn !== null) found.push(turned(turn, TURNING));
  for (const start of turn === null ? [NO_TURN] : [NO_TURN, turn]) {
    const direction = fitTranslation(turnFirst(rays, start), tolerance, random);
    if (direction === null) continue;
    if (start === NO_TURN) found.push(moved({ rotation: NO_TURN, direction }, MOVING));
    found.push(moved(refinePose(rays, { rotation: start, direction }, tolerance), BOTH));
  }
  return found;
}

function moveAction([right, down, ahead]: Direction): AgentAction {
  const most = Math.max(Math.abs(right), Math.abs(down), Math.abs(ahead));
  if (most === Math.abs(ahead)) return ahead > 0 ? 'move forward' : 'move backward';
  if (most === Math.abs(right)) return right > 0 ? 'move right' : 'move left';
  return down > 0 ? 'move downward' : 'move upward';
}
