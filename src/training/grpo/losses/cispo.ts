import { PolicyLoss, ratioOf } from '../rollout-tokens.js';
import { sumTokens } from '../surrogate.js';

/** CISPO (MiniMax 2025): the ratio is a weight that is cut, not the gradient, so that every token is learned from. */
export const cispoLoss: PolicyLoss = (tokens, options) => {
  const { advantages, logprobs, oldLogprobs } = tokens;
  const weight = 1 / Math.max(1, logprobs.length);
  return sumTokens(
    tokens,
    options,
    (i, t) => {
      const ratio = ratioOf(logprobs[t]!, oldLogprobs[t]!);
      const slope = -Math.min(ratio, options.maxRatio) * advantages[i]!;
      const clipped = ratio > options.maxRatio && advantages[i]! > 0 ? 'high' : null;
      return { value: slope * logprobs[t]!, slope, clipped, ratio };
    },
    () => weight,
  );
};
