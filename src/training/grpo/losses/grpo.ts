import { lengthOf, PolicyLoss, ratioOf } from '../rollout-tokens.js';
import { clippedTerm, sumTokens } from '../surrogate.js';

/** GRPO (Shao et al. 2024): the mean over completions of the mean over their tokens. */
export const grpoLoss: PolicyLoss = (tokens, options) => {
  const { advantages, logprobs, oldLogprobs } = tokens;
  return sumTokens(
    tokens,
    options,
    (i, t) => clippedTerm(ratioOf(logprobs[t]!, oldLogprobs[t]!), advantages[i]!, options),
    (i) => 1 / (advantages.length * Math.max(1, lengthOf(tokens, i))),
  );
};
