/** Weights of rewards by name. */
export type RewardWeights = Readonly<Record<string, number>>;

export interface RewardStage {
  /** Share of the run at which the stage ends, in (0, 1]. */
  until: number;
  weights: RewardWeights;
}

/** The paper's three stages over its 12 epochs: form first, then accuracy, then accuracy with consistency. */
export const PAPER_STAGES: readonly RewardStage[] = [
  { until: 2 / 12, weights: { format: 0.7, accuracy: 0.3, consistency: 0 } },
  { until: 4 / 12, weights: { format: 0.3, accuracy: 0.7, consistency: 0 } },
  { until: 1, weights: { format: 0.1, accuracy: 0.7, consistency: 0.2 } },
];

/** @param progress share of the run that is done, in [0, 1) */
export function stageAt(stages: readonly RewardStage[], progress: number): RewardStage {
  return stages.find(({ until }) => progress < until) ?? stages.at(-1)!;
}

/** What is wrong with a schedule, for a person; null when nothing is. */
export function stageProblem(stages: readonly RewardStage[], known: ReadonlySet<string>): string | null {
  if (stages.length === 0) return 'there must be at least one stage';
  let before = 0;
  for (const [i, { until, weights }] of stages.entries()) {
    if (!(until > before && until <= 1)) return `stage ${i}: until must rise from stage to stage, up to 1`;
    before = until;
    const entries = Object.entries(weights);
    const unknown = entries.find(([name]) => !known.has(name));
    if (unknown)
      return `stage ${i}: there is no reward ${unknown[0]}; there are ${[...known].sort().join(', ')}`;
    if (entries.some(([, weight]) => !Number.isFinite(weight) || weight < 0))
      return `stage ${i}: weights are numbers from 0 on`;
    if (!entries.some(([, weight]) => weight > 0)) return `stage ${i}: one weight at least must be above 0`;
  }
  return before === 1 ? null : 'the last stage must end at 1';
}
