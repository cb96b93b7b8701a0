import { MotionStep } from '../../keyframes/keyframe-selector.js';
import { ActionTaken, AgentAction, DEGREE_STEP } from '../percept.js';
import { StepMotion, stepMotion } from './step-motion.js';

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
export function actionsOf(steps: readonly MotionStep[], hfovDeg: number): ActionTaken[] {
  const runs: StepMotion[] = [];
  for (const step of steps) {
    const motion = stepMotion(step, hfovDeg);
    if (motion !== null) merge(runs, motion);
  }
  return runs
    .map(({ action, degrees }) => ({
      action,
      degrees: degrees === null ? null : Math.round(degrees / DEGREE_STEP) * DEGREE_STEP,
    }))
    .filter(({ degrees }) => degrees !== 0);
}

function merge(runs: StepMotion[], motion: StepMotion): void {
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
