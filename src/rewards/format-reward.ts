import { pureReward } from './reward.js';

/** 1 for exactly `<think>…</think>` then `<answer>…</answer>`, nothing after (Embodied-R, rewards). */
export const formatReward = pureReward('format', 1, ({ parsed, truncated }) => {
  const ok = parsed.formatOk && !truncated;
  return { score: ok ? 1 : 0, detail: ok ? {} : { problem: truncated ? 'cut off' : parsed.problem } };
});
