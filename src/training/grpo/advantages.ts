/** By what the rewards of a group are divided: their own spread, that of the whole batch, or nothing (Dr. GRPO). */
export const ADVANTAGE_SCALES = ['group', 'batch', 'none'] as const;
export type AdvantageScale = (typeof ADVANTAGE_SCALES)[number];

/** As TRL: keeps a group of equal rewards from dividing by zero. */
const EPSILON = 1e-4;
/** Rewards closer than this are equal: sums of weighted floats. */
const NO_SPREAD = 1e-6;

/** Whether a group's rewards tell its completions apart; unscored ones (null) do not count. */
export function hasSpread(rewards: readonly (number | null)[]): boolean {
  const scored = rewards.filter((reward) => reward !== null);
  return scored.length > 1 && Math.max(...scored) - Math.min(...scored) > NO_SPREAD;
}

/**
 * Advantages of the completions of several groups: reward minus the group's mean, scaled (Shao et al. 2024). Standard
 * deviations have n − 1 in the denominator, as in TRL. A completion without a reward has none and gets null.
 *
 * @param groups rewards by group
 */
export function groupAdvantages(
  groups: readonly (readonly (number | null)[])[],
  scale: AdvantageScale,
): (number | null)[][] {
  const batchDeviation = deviation(groups.flat().filter((reward) => reward !== null));
  return groups.map((rewards) => {
    const scored = rewards.filter((reward) => reward !== null);
    const mean = meanOf(scored);
    const spread = scale === 'group' ? deviation(scored) : batchDeviation;
    const divisor = scale === 'none' ? 1 : spread + EPSILON;
    const hasAny = hasSpread(rewards);
    return rewards.map((reward) => (reward === null ? null : hasAny ? (reward - mean) / divisor : 0));
  });
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b, 0) / values.length;
}

/** Of a sample; 0 for fewer than two. */
export function deviation(values: readonly number[]): number {
  if (values.length < 2) return 0;
  const mean = meanOf(values);
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
}
