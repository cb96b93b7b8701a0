import { ActionContradiction, ActionTaken, AgentAction } from './percept.js';

/** The size of a turn below which the geometry is not taken against a model's word, in degrees. */
const CERTAIN_DEG = 15;

/**
 * First defence against imagined movement: the model's claim against what the geometry measured. They contradict each
 * other when the geometry is certain of something that the claim leaves no room for: a turn or tilt of at least 15
 * degrees, or a move, in another direction than claimed. No claim is no contradiction, nor is no measurement.
 */
export function contradictionOf(
  claimed: AgentAction | null,
  measured: readonly ActionTaken[],
): ActionContradiction | null {
  if (claimed === null || measured.length === 0) return null;
  if (measured.some(({ action }) => action === claimed)) return null;
  const certain = measured.filter(({ degrees }) => degrees === null || degrees >= CERTAIN_DEG);
  const most = certain.reduce<ActionTaken | null>(
    (best, taken) => (best === null || (taken.degrees ?? 0) > (best.degrees ?? 0) ? taken : best),
    null,
  );
  return most === null ? null : { claimed, measured: most };
}
