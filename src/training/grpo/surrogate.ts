import { LossOptions, LossResult, ratioOf, RolloutTokens } from './rollout-tokens.js';

/** What a loss variant says of one token. */
export interface TokenTerm {
  /** The token's part of the loss, before its weight. */
  value: number;
  /** ∂value / ∂logprob. */
  slope: number;
  clipped: 'low' | 'high' | null;
  ratio: number;
}

/** PPO's clipped objective of a ratio: −min(r·A, clip(r)·A), and its derivative with respect to log r. */
export function clippedTerm(ratio: number, advantage: number, { clipLow, clipHigh }: LossOptions): TokenTerm {
  const clipped =
    ratio < 1 - clipLow && advantage < 0 ? 'low' : ratio > 1 + clipHigh && advantage > 0 ? 'high' : null;
  const bounded = clipped === 'low' ? 1 - clipLow : clipped === 'high' ? 1 + clipHigh : ratio;
  return {
    value: -bounded * advantage,
    slope: clipped === null ? -ratio * advantage : 0,
    clipped,
    ratio,
  };
}

/**
 * Σ_t w_t · (c_t · term_t + β · kl_t), where c_t corrects for the sampler and kl_t is k3 (Schulman 2020):
 * exp(ref − logprob) − (ref − logprob) − 1.
 *
 * @param termOf the variant's term of token t of completion i
 * @param weightOf weight of each token of completion i
 * @param importanceOf c of token t of completion i
 */
export function sumTokens(
  tokens: RolloutTokens,
  options: LossOptions,
  termOf: (completion: number, token: number) => TokenTerm,
  weightOf: (completion: number) => number,
  importanceOf = (_completion: number, token: number) => importanceOfToken(tokens, options, token),
): LossResult {
  const { klWeight } = options;
  const { starts, logprobs, referenceLogprobs } = tokens;
  const tokenGradient = new Float32Array(logprobs.length);
  const counts = { low: 0, high: 0 };
  let loss = 0;
  let ratioMax = 0;
  let klSum = 0;
  for (let i = 0; i + 1 < starts.length; i++) {
    const weight = weightOf(i);
    for (let t = starts[i]!; t < starts[i + 1]!; t++) {
      const { value, slope, clipped, ratio } = termOf(i, t);
      const importance = importanceOf(i, t);
      let gradient = importance * slope;
      let total = importance * value;
      if (referenceLogprobs !== null) {
        const against = ratioOf(referenceLogprobs[t]!, logprobs[t]!);
        const kl = against - (referenceLogprobs[t]! - logprobs[t]!) - 1;
        total += klWeight * kl;
        gradient += klWeight * (1 - against);
        klSum += kl;
      }
      loss += weight * total;
      tokenGradient[t] = weight * gradient;
      if (clipped !== null) counts[clipped]++;
      ratioMax = Math.max(ratioMax, ratio);
    }
  }
  const count = Math.max(1, logprobs.length);
  return {
    loss,
    tokenGradient,
    clippedLow: counts.low / count,
    clippedHigh: counts.high / count,
    ratioMax,
    kl: referenceLogprobs === null ? null : klSum / count,
  };
}

/** Truncated importance sampling: how much likelier the trainer finds the token than the sampler did, at most so much. */
export function importanceOfToken(
  { oldLogprobs, samplerLogprobs }: RolloutTokens,
  { maxImportance }: LossOptions,
  token: number,
): number {
  if (maxImportance === 0) return 1;
  return Math.min(maxImportance, ratioOf(oldLogprobs[token]!, samplerLogprobs[token]!));
}
