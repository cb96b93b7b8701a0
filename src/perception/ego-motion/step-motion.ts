import { MotionStep } from '../../keyframes/keyframe-selector.js';
import { seededRandom } from '../../keyframes/random.js';
import { AgentAction } from '../percept.js';
import { RayPairs, toRays } from './rays.js';
import { fitRotation } from './rotation.js';
import { fitTranslation } from './translation.js';

/** What the camera did in one step, as far as the matches tell. */
export interface StepMotion {
  action: AgentAction;
  /** For turns and tilts; null for moves. */
  degrees: number | null;
}

/** Fewer matches say nothing. */
const MIN_MATCHES = 12;
/** A median movement below this is noise: the agent stays. Pixels of a 640-wide frame. */
const STILL_PX = 2.5;
/** How far a match may lie from what a hypothesis predicts. Pixels of a 640-wide frame. */
const TOLERANCE_PX = 4;
/** A turn or tilt below this is noise. */
const MIN_TURN_DEG = 3;
/**
 * A turn predicts where each point lands, a move only the line on which it lands, which more false matches meet by
 * chance. So a turn is believed when it explains at least this share of what a move explains.
 */
const TURN_ADVANTAGE = 0.75;

/** The action of a step; null when the agent stood still or the matches do not tell. */
export function stepMotion(step: MotionStep, hfovDeg: number): StepMotion | null {
  const rays = toRays(step, hfovDeg);
  if (rays.count < MIN_MATCHES || medianFlow(rays) * 640 < STILL_PX * step.width) return null;
  const tolerance = (TOLERANCE_PX * step.width) / 640;
  const random = seededRandom(rays.count);
  const turn = fitRotation(rays, tolerance, random);
  const move = fitTranslation(rays, tolerance, random);
  if (turn !== null && turn.inliers >= TURN_ADVANTAGE * (move?.inliers ?? 0))
    return turnAction(turn.leftDeg, turn.upDeg);
  return move === null ? null : { action: moveAction(move.direction), degrees: null };
}

function turnAction(leftDeg: number, upDeg: number): StepMotion | null {
  if (Math.max(Math.abs(leftDeg), Math.abs(upDeg)) < MIN_TURN_DEG) return null;
  if (Math.abs(leftDeg) >= Math.abs(upDeg))
    return { action: leftDeg > 0 ? 'rotate left' : 'rotate right', degrees: Math.abs(leftDeg) };
  return { action: upDeg > 0 ? 'tilt upward' : 'tilt downward', degrees: Math.abs(upDeg) };
}

function moveAction([right, down, ahead]: [number, number, number]): AgentAction {
  const most = Math.max(Math.abs(right), Math.abs(down), Math.abs(ahead));
  if (most === Math.abs(ahead)) return ahead > 0 ? 'move forward' : 'move backward';
  if (most === Math.abs(right)) return right > 0 ? 'move right' : 'move left';
  return down > 0 ? 'move downward' : 'move upward';
}

/** Median length of the movements, in pixels. */
function medianFlow({ count, before, after, focalPx }: RayPairs): number {
  const lengths = Float64Array.from({ length: count }, (_, i) =>
    Math.hypot(after[2 * i]! - before[2 * i]!, after[2 * i + 1]! - before[2 * i + 1]!),
  ).sort();
  return lengths[count >> 1]! * focalPx;
}
