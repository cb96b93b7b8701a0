import { type AgentAction } from '../../src/perception/percept.js';

/** Where the camera is and looks. Metres; degrees. Yaw 0 looks along -z and grows to the left; pitch grows upward. */
export interface Pose {
  x: number;
  y: number;
  z: number;
  yawDegrees: number;
  pitchDegrees: number;
}

/** One movement of a path. `stay` is standing still, which has no word among the paper's ten actions. */
export interface PathStep {
  action: AgentAction | 'stay';
  seconds: number;
  /** Degrees for rotations and tilts, metres for moves, 0 for `stay`. */
  amount: number;
}

/** A movement as the ground truth tells it. */
export interface TimedAction {
  action: AgentAction | 'stay';
  startMs: number;
  endMs: number;
  degrees: number | null;
  metres: number | null;
}

const RADIANS = Math.PI / 180;

/**
 * The pose after `share` in [0, 1] of a step. Moves follow the heading but stay level, as a drone's do when its camera
 * is tilted.
 */
export function advance(from: Pose, step: PathStep, share: number): Pose {
  const amount = step.amount * share;
  const forwardX = -Math.sin(from.yawDegrees * RADIANS);
  const forwardZ = -Math.cos(from.yawDegrees * RADIANS);
  const along = (dx: number, dz: number): Pose => ({
    ...from,
    x: from.x + dx * amount,
    z: from.z + dz * amount,
  });
  switch (step.action) {
    case 'move forward':
      return along(forwardX, forwardZ);
    case 'move backward':
      return along(-forwardX, -forwardZ);
    case 'move left':
      return along(forwardZ, -forwardX);
    case 'move right':
      return along(-forwardZ, forwardX);
    case 'move upward':
      return { ...from, y: from.y + amount };
    case 'move downward':
      return { ...from, y: from.y - amount };
    case 'rotate left':
      return { ...from, yawDegrees: from.yawDegrees + amount };
    case 'rotate right':
      return { ...from, yawDegrees: from.yawDegrees - amount };
    case 'tilt upward':
      return { ...from, pitchDegrees: from.pitchDegrees + amount };
    case 'tilt downward':
      return { ...from, pitchDegrees: from.pitchDegrees - amount };
    case 'stay':
      return { ...from };
  }
}

/** Poses at every frame time 0, 1/fps, 2/fps … up to and including the end of the last step. */
export function posesAlong(start: Pose, steps: readonly PathStep[], fps: number): Pose[] {
  const totalSeconds = steps.reduce((sum, step) => sum + step.seconds, 0);
  const poses: Pose[] = [];
  let from = start;
  let stepIndex = 0;
  let stepStart = 0;
  for (let frame = 0; frame <= Math.round(totalSeconds * fps); frame += 1) {
    const seconds = frame / fps;
    while (stepIndex < steps.length && seconds >= stepStart + steps[stepIndex].seconds) {
      from = advance(from, steps[stepIndex], 1);
      stepStart += steps[stepIndex].seconds;
      stepIndex += 1;
    }
    const step = steps[stepIndex];
    poses.push(step === undefined ? { ...from } : advance(from, step, (seconds - stepStart) / step.seconds));
  }
  return poses;
}

const isTurn = (action: PathStep['action']): boolean =>
  action.startsWith('rotate') || action.startsWith('tilt');

export function timedActions(steps: readonly PathStep[]): TimedAction[] {
  let startMs = 0;
  return steps.map((step) => {
    const endMs = startMs + Math.round(step.seconds * 1000);
    const timed: TimedAction = {
      action: step.action,
      startMs,
      endMs,
      degrees: isTurn(step.action) ? step.amount : null,
      metres: step.action.startsWith('move') ? step.amount : null,
    };
    startMs = endMs;
    return timed;
  });
}
