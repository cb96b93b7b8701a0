import { KeyframeDecision, KeyframeReason } from './keyframe-selector.js';

/** The paper's numbers for a finished video. */
export interface OfflineLimits {
  minKeyframes: number;
  maxKeyframes: number;
}

export const DEFAULT_OFFLINE_LIMITS: Readonly<OfflineLimits> = { minKeyframes: 4, maxKeyframes: 32 };

/**
 * What the paper does once the whole video is known: the last frame is kept too; fewer than 4 keyframes are replaced
 * by evenly spaced frames; more than 32 are thinned to the first, the last and 30 evenly spaced between them.
 * None of this is causal, so a live session never does it.
 *
 * @returns new decisions, one for each given
 */
export function finishSelection(
  decisions: readonly KeyframeDecision[],
  limits: OfflineLimits = DEFAULT_OFFLINE_LIMITS,
): KeyframeDecision[] {
  if (decisions.length === 0) return [];
  const end = decisions.length - 1;
  const kept = decisions.flatMap((decision, i) => (decision.keep || i === end ? [i] : []));
  if (kept.length < limits.minKeyframes) {
    const all = Array.from(decisions, (_, i) => i);
    return mark(decisions, spread(all, Math.min(limits.minKeyframes, all.length)));
  }
  return mark(decisions, kept.length > limits.maxKeyframes ? spread(kept, limits.maxKeyframes) : kept);
}

/** `count` of the given positions, evenly spaced, with the first and the last. */
function spread(positions: readonly number[], count: number): number[] {
  if (count <= 1) return positions.slice(0, 1);
  const pitch = (positions.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, i) => positions[Math.round(i * pitch)]);
}

function mark(decisions: readonly KeyframeDecision[], keep: readonly number[]): KeyframeDecision[] {
  const chosen = new Set(keep);
  return decisions.map((decision, i) => {
    if (chosen.has(i) === decision.keep) return decision;
    const added: KeyframeReason = i === decisions.length - 1 ? 'last' : 'uniform';
    return { ...decision, keep: chosen.has(i), reason: chosen.has(i) ? added : 'uniform' };
  });
}
