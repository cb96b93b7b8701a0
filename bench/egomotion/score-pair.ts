import { ActionTaken, DEGREE_STEP } from '../../src/perception/percept.js';
import { TrueAction } from './true-actions.js';

/** A count of things to tell, of those told rightly, and of those told that did not happen. */
export interface Tally {
  happened: number;
  right: number;
  invented: number;
}

export interface PairScore {
  turns: Tally;
  tilts: Tally;
  moves: Tally;
}

/** Half of a step rounds to none, so smaller turns need not be told; nor need moves of under half a second. */
const LEAST_DEGREES = DEGREE_STEP / 2;
const LEAST_MOVE_MS = 500;

export const kindOf = ({ action }: Pick<TrueAction, 'action'>): keyof PairScore =>
  action.startsWith('rotate') ? 'turns' : action.startsWith('tilt') ? 'tilts' : 'moves';

/**
 * Scores what was told of one keyframe pair.
 *
 * Told and true actions are matched in order, as many as possible. A turn is right when a told one of the same
 * direction and within one 15° step of the true angle is matched with it; a move when one of the same direction is.
 * A told action that matches nothing and of whose kind and direction nothing happened is invented; one of the wrong
 * size is only wrong.
 */
export function scorePair(told: readonly ActionTaken[], happened: readonly TrueAction[]): PairScore {
  const score: PairScore = {
    turns: { happened: 0, right: 0, invented: 0 },
    tilts: { happened: 0, right: 0, invented: 0 },
    moves: { happened: 0, right: 0, invented: 0 },
  };
  const matched = matchInOrder(told, happened);
  for (const [i, action] of happened.entries()) {
    if (!mustBeTold(action)) continue;
    score[kindOf(action)].happened++;
    if (matched.has(i)) score[kindOf(action)].right++;
  }
  for (const { action } of told) {
    if (!happened.some((real) => real.action === action)) score[kindOf({ action })].invented++;
  }
  return score;
}

function mustBeTold({ degrees, durationMs }: TrueAction): boolean {
  return degrees === null ? durationMs >= LEAST_MOVE_MS : degrees >= LEAST_DEGREES;
}

function agrees(told: ActionTaken, real: TrueAction): boolean {
  if (told.action !== real.action) return false;
  return real.degrees === null || Math.abs(told.degrees! - real.degrees) <= DEGREE_STEP;
}

/** Positions in `happened` of a longest common subsequence, those that must be told before those that need not. */
function matchInOrder(told: readonly ActionTaken[], happened: readonly TrueAction[]): Set<number> {
  let best: { worth: number; matched: number[] }[] = happened.map(() => ({ worth: 0, matched: [] }));
  best.push({ worth: 0, matched: [] });
  for (const taken of told) {
    const next = [best[0]!];
    for (const [i, real] of happened.entries()) {
      const without = next[i]!.worth >= best[i + 1]!.worth ? next[i]! : best[i + 1]!;
      const before = best[i]!;
      const worth = before.worth + (mustBeTold(real) ? 1 : 0.001);
      const takes = agrees(taken, real) && worth > without.worth;
      next.push(takes ? { worth, matched: [...before.matched, i] } : without);
    }
    best = next;
  }
  return new Set(best.at(-1)!.matched);
}
