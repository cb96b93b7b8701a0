import { meanOf } from '../advantages.js';
import { lengthOf, PolicyLoss, ratioOf, RolloutTokens } from '../rollout-tokens.js';
import { clippedTerm, importanceOfToken, sumTokens, TokenTerm } from '../surrogate.js';

/** GSPO (Zheng et al. 2025): one ratio for a whole completion, the geometric mean of its tokens' ratios. */
export const gspoLoss: PolicyLoss = (tokens, options) => {
  const { advantages, logprobs, oldLogprobs } = tokens;
  const terms = Array.from(advantages, (advantage, i): TokenTerm => {
    const logRatio = meanOf(tokensOf(tokens, i).map((t) => logprobs[t]! - oldLogprobs[t]!));
    // The derivative by one token's logprob is a length-th of this, and the sum below has length such terms.
    return clippedTerm(ratioOf(logRatio, 0), advantage, options);
  });
  const importance = Array.from(advantages, (_, i) =>
    meanOf(tokensOf(tokens, i).map((t) => importanceOfToken(tokens, options, t))),
  );
  return sumTokens(
    tokens,
    options,
    (i) => terms[i]!,
    (i) => 1 / (advantages.length * Math.max(1, lengthOf(tokens, i))),
    (i) => importance[i]!,
  );
};

function tokensOf({ starts }: RolloutTokens, completion: number): number[] {
  const from = starts[completion]!;
  return Array.from({ length: starts[completion + 1]! - from }, (_, i) => from + i);
}
