import { PolicyLoss, ratioOf } from '../rollout-tokens.js';
import { clippedTerm, sumTokens } from '../surrogate.js';

/** DAPO (Yu et al. 2025): every token of the update counts the same; the clip is wider above. */
export const dapoLoss: PolicyLoss = (tokens, options) => {
  const { advantages, logprobs, oldLogprobs } = tokens;
  const weight = 1 / Math.max(1, logprobs.length);
  return sumTokens(
    tokens,
    options,
    (i, t) => clippedTerm(ratioOf(logprobs[t]!, oldLogprobs[t]!), advantages[i]!, options),
    () => weight,
  );
};
