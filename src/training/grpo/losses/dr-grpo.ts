import { PolicyLoss, ratioOf } from '../rollout-tokens.js';
import { clippedTerm, sumTokens } from '../surrogate.js';

/** Dr. GRPO (Liu et al. 2025): divided by the longest length, so that long wrong answers are not favoured. */
export const drGrpoLoss: PolicyLoss = (tokens, options) => {
  const { advantages, logprobs, oldLogprobs } = tokens;
  const weight = 1 / (Math.max(1, advantages.length) * options.maxCompletionTokens);
  return sumTokens(
    tokens,
    options,
    (i, t) => clippedTerm(ratioOf(logprobs[t]!, oldLogprobs[t]!), advantages[i]!, options),
    () => weight,
  );
};
