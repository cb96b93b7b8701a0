import { AgentAction } from '../../src/perception/percept.js';
import { TimedAction } from '../../worlds/render/camera-path.js';

/** What the camera really did between two keyframes, in the perceiver's manner of telling. */
export interface TrueAction {
  action: AgentAction;
  /** For turns and tilts. */
  degrees: number | null;
  /** How long it lasted between the two keyframes. */
  durationMs: number;
}

const OPPOSITE: Partial<Record<AgentAction, AgentAction>> = {
  'rotate left': 'rotate right',
  'rotate right': 'rotate left',
  'tilt upward': 'tilt downward',
  'tilt downward': 'tilt upward',
};

/**
 * The parts of the clip's actions that fall between two times. As in a percept, equal actions that follow each other
 * are one, and turns and tilts that follow each other add up with their sign.
 */
export function trueActionsBetween(
  actions: readonly TimedAction[],
  fromMs: number,
  toMs: number,
): TrueAction[] {
  const told: TrueAction[] = [];
  for (const { action, startMs, endMs, degrees } of actions) {
    const durationMs = Math.min(endMs, toMs) - Math.max(startMs, fromMs);
    if (action === 'stay' || durationMs <= 0) continue;
    const part = degrees === null ? null : (degrees * durationMs) / (endMs - startMs);
    add(told, { action, degrees: part, durationMs });
  }
  return told;
}

function add(told: TrueAction[], part: TrueAction): void {
  const last = told.at(-1);
  if (last?.action === part.action) {
    last.durationMs += part.durationMs;
    if (last.degrees !== null) last.degrees += part.degrees!;
  } else if (last !== undefined && last.action === OPPOSITE[part.action]) {
    last.durationMs += part.durationMs;
    last.degrees! -= part.degrees!;
    if (last.degrees! < 0) {
      last.action = part.action;
      last.degrees = -last.degrees!;
    }
  } else told.push(part);
}
