import { Reward, RewardContext, RewardSample, RewardScore, unscored } from './reward.js';
import { RewardWeights } from './stage-schedule.js';

export interface NamedScore extends RewardScore {
  name: string;
  version: number;
  weight: number;
}

export interface ScoredCompletion {
  scores: NamedScore[];
  /**
   * Weighted mean of the scores that could be told, by the weights of all: an unscored part neither helps nor harms.
   * Null when none could be told.
   */
  reward: number | null;
}

/** Scores completions by every reward. One that fails as a whole leaves its part unscored and never ends a run. */
export async function scoreCompletions(
  samples: readonly RewardSample[],
  rewards: readonly Reward[],
  weights: RewardWeights,
  context: RewardContext,
): Promise<ScoredCompletion[]> {
  const weighted = rewards.filter(({ name }) => (weights[name] ?? 0) > 0);
  const columns = await Promise.all(weighted.map((reward) => scoreColumn(reward, samples, context)));
  return samples.map((_, i) => {
    const scores = weighted.map(({ name, version }, column): NamedScore => ({
      ...columns[column]![i]!,
      name,
      version,
      weight: weights[name]!,
    }));
    return { scores, reward: combine(scores) };
  });
}

async function scoreColumn(
  reward: Reward,
  samples: readonly RewardSample[],
  context: RewardContext,
): Promise<RewardScore[]> {
  try {
    const scores = await reward.score(samples, context);
    if (scores.length !== samples.length)
      throw new Error(`The reward gave ${scores.length} scores for ${samples.length} completions.`);
    return scores.map((each) =>
      each.score === null || (Number.isFinite(each.score) && each.score >= 0 && each.score <= 1)
        ? each
        : unscored(new Error(`The reward gave ${each.score}; a score lies between 0 and 1.`)),
    );
  } catch (error) {
    context.signal.throwIfAborted();
    return samples.map(() => unscored(error));
  }
}

function combine(scores: readonly NamedScore[]): number | null {
  const told = scores.filter(({ score }) => score !== null);
  const toldWeight = told.reduce((sum, { weight }) => sum + weight, 0);
  if (toldWeight === 0) return null;
  const total = scores.reduce((sum, { weight }) => sum + weight, 0);
  return (told.reduce((sum, { weight, score }) => sum + weight * score!, 0) / toldWeight) * total;
}
