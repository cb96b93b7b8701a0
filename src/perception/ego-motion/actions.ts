import { MotionStep, StepMotion } from '../../keyframes/keyframe-selector.js';
import { ActionTaken, AgentAction, DEGREE_STEP } from '../percept.js';

/** One action while it goes on; degrees are not yet rounded. */
interface Run {
  action: AgentAction;
  degrees: number | null;
}

const OPPOSITE: Partial<Record<AgentAction, AgentAction>> = {
  'rotate left': 'rotate right',
  'rotate right': 'rotate left',
  'tilt upward': 'tilt downward',
  'tilt downward': 'tilt upward',
};

/**
 * What the agent did between two keyframes, in order: equal actions that follow each other are one, turns and tilts
 * add up with their sign, and what rounds to no degrees is left out.
 */
export function actionsOf(steps: readonly MotionStep[]): ActionTaken[] {
  const motions = steps.map(({ motion }) => motion).filter((motion) => motion !== null);
  const runs: Run[] = [];
  motions.forEach((motion, i) => {
    for (const run of inOrder(motion, runs.at(-1), motions[i + 1])) merge(runs, run);
  });
  const told: Run[] = [];
  for (const run of runs) if (roundDegrees(run) !== 0) merge(told, run);
  return told.map((run) => ({ action: run.action, degrees: roundDegrees(run) }));
}

function roundDegrees({ degrees }: Run): number | null {
  return degrees === null ? null : Math.round(degrees / DEGREE_STEP) * DEGREE_STEP;
}

/**
 * Two views do not tell what came first between them. What goes on from before comes first, what goes on afterwards
 * comes last; else the greater turn comes first.
 */
function inOrder(motion: StepMotion, before: Run | undefined, after: StepMotion | undefined): Run[] {
  const runs = runsOf(motion);
  const next = after === undefined ? [] : runsOf(after);
  const rank = ({ action }: Run): number => {
    if (action === before?.action) return -1;
    return next.some((run) => run.action === action) ? 1 : 0;
  };
  return runs.sort((a, b) => rank(a) - rank(b));
}

function runsOf({ leftDeg, upDeg, move }: StepMotion): Run[] {
  const runs: Run[] = [];
  if (leftDeg !== 0)
    runs.push({ action: leftDeg > 0 ? 'rotate left' : 'rotate right', degrees: Math.abs(leftDeg) });
  if (upDeg !== 0)
    runs.push({ action: upDeg > 0 ? 'tilt upward' : 'tilt downward', degrees: Math.abs(upDeg) });
  if (move !== null) runs.push({ action: move, degrees: null });
  return runs.sort((a, b) => (b.degrees ?? 0) - (a.degrees ?? 0));
}

function merge(runs: Run[], motion: Run): void {
  const last = runs.at(-1);
  if (last?.action === motion.action) {
    if (last.degrees !== null) last.degrees += motion.degrees!;
  } else if (last !== undefined && last.action === OPPOSITE[motion.action]) {
    last.degrees! -= motion.degrees!;
    if (last.degrees! < 0) {
      last.action = motion.action;
      last.degrees = -last.degrees!;
    }
  } else runs.push({ ...motion });
}
