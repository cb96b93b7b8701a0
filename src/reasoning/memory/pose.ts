import { ActionTaken, AgentAction } from '../../perception/percept.js';

/**
 * Where the agent is and looks, against its first view. Moves are told without a length, so each counts as one.
 */
export interface Pose {
  /** Turned to the left in all, in degrees; not wrapped. */
  headingDeg: number;
  /** Tilted upward in all, in degrees. */
  tiltDeg: number;
  /** Moves made in the direction of the first view, to its right, and upward. */
  ahead: number;
  right: number;
  up: number;
}

export const START_POSE: Readonly<Pose> = { headingDeg: 0, tiltDeg: 0, ahead: 0, right: 0, up: 0 };

/** A greater turn is told as two: policies trained on single movements have not read of greater ones. */
const QUARTER = 90;

/** Moves in the agent's own frame: ahead, right, up. */
const MOVES: Partial<Record<AgentAction, readonly [number, number, number]>> = {
  'move forward': [1, 0, 0],
  'move backward': [-1, 0, 0],
  'move right': [0, 1, 0],
  'move left': [0, -1, 0],
  'move upward': [0, 0, 1],
  'move downward': [0, 0, -1],
};

/** The pose after one action. */
export function moved(pose: Pose, { action, degrees }: ActionTaken): Pose {
  const by = degrees ?? 0;
  if (action === 'rotate left') return { ...pose, headingDeg: pose.headingDeg + by };
  if (action === 'rotate right') return { ...pose, headingDeg: pose.headingDeg - by };
  if (action === 'tilt upward') return { ...pose, tiltDeg: pose.tiltDeg + by };
  if (action === 'tilt downward') return { ...pose, tiltDeg: pose.tiltDeg - by };
  const [ahead, right, up] = MOVES[action]!;
  const [sin, cos] = direction(pose.headingDeg);
  return {
    ...pose,
    ahead: pose.ahead + ahead * cos + right * sin,
    right: pose.right - ahead * sin + right * cos,
    up: pose.up + up,
  };
}

/**
 * The shortest telling of the way from one pose to another: the turn, within half a circle, the tilt, then the moves
 * as seen from the new heading, the longest first.
 */
export function netActions(from: Pose, to: Pose): ActionTaken[] {
  const actions: ActionTaken[] = [];
  const turn = wrapDegrees(to.headingDeg - from.headingDeg);
  for (const degrees of [Math.min(Math.abs(turn), QUARTER), Math.abs(turn) - QUARTER])
    if (degrees > 0) actions.push({ action: turn > 0 ? 'rotate left' : 'rotate right', degrees });
  const tilt = to.tiltDeg - from.tiltDeg;
  if (tilt !== 0)
    actions.push({ action: tilt > 0 ? 'tilt upward' : 'tilt downward', degrees: Math.abs(tilt) });
  const [sin, cos] = direction(to.headingDeg);
  const [north, east] = [to.ahead - from.ahead, to.right - from.right];
  const moves = [
    { size: north * cos - east * sin, positive: 'move forward', negative: 'move backward' },
    { size: north * sin + east * cos, positive: 'move right', negative: 'move left' },
    { size: to.up - from.up, positive: 'move upward', negative: 'move downward' },
  ] as const;
  const longest = [...moves].sort((a, b) => Math.abs(b.size) - Math.abs(a.size));
  for (const { size, positive, negative } of longest)
    if (Math.abs(size) >= 0.5) actions.push({ action: size > 0 ? positive : negative, degrees: null });
  return actions;
}

/** Into (-180, 180]. */
export function wrapDegrees(degrees: number): number {
  const turned = ((degrees % 360) + 360) % 360;
  return turned > 180 ? turned - 360 : turned;
}

function direction(headingDeg: number): [sin: number, cos: number] {
  const radians = (headingDeg * Math.PI) / 180;
  return [Math.sin(radians), Math.cos(radians)];
}
