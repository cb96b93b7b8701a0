import { pureReward, Reward } from './reward.js';

/** 1 up to `freeTokens`, then falling in a line to 0 at `maxTokens` (DAPO's soft punishment of overlong completions). */
export function lengthReward({ freeTokens, maxTokens }: { freeTokens: number; maxTokens: number }): Reward {
  return pureReward('length', 1, ({ completionTokens }) => {
    const over = (completionTokens - freeTokens) / Math.max(1, maxTokens - freeTokens);
    return { score: 1 - Math.min(1, Math.max(0, over)), detail: { tokens: completionTokens } };
  });
}
