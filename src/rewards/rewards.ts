import { accuracyReward } from './accuracy-reward.js';
import { consistencyReward } from './consistency-reward.js';
import { formatReward } from './format-reward.js';
import { lengthReward } from './length-reward.js';
import { Reward } from './reward.js';

/** Every reward that a run can give weight to; a new one is a file beside these and a line here. */
export function allRewards(maxCompletionTokens: number): Reward[] {
  return [
    formatReward,
    accuracyReward,
    consistencyReward('plain'),
    consistencyReward('shuffled'),
    lengthReward({ freeTokens: Math.round(maxCompletionTokens / 2), maxTokens: maxCompletionTokens }),
  ];
}
