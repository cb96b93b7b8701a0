import { SaccadeError } from '../../../errors/saccade-error.js';
import { Random } from './random.js';

export interface SampledToken {
  tokenId: number;
  /**
   * Log-probability under softmax(logits / temperature) before top-p. Greedy sampling has no such distribution, so
   * its log-probability is the model's own, at temperature 1.
   */
  logprob: number;
}

/**
 * Draws one token.
 *
 * @param logits [V]
 * @param scratch [V], overwritten; reused between calls since a large vocabulary would churn memory
 */
export function sampleToken(
  logits: Float32Array,
  sampling: { temperature: number; topP: number },
  random: Random,
  scratch: Float64Array,
): SampledToken {
  const best = argmax(logits);
  if (!Number.isFinite(logits[best]))
    throw new SaccadeError(
      'internal',
      'lm_not_finite',
      'The language model produced logits that are not finite numbers. Check its weights.',
    );
  const greedy = sampling.temperature === 0;
  const temperature = greedy ? 1 : sampling.temperature;
  let total = 0;
  for (let i = 0; i < logits.length; i++) {
    const weight = Math.exp((logits[i] - logits[best]) / temperature);
    scratch[i] = weight;
    total += weight;
  }
  if (!Number.isFinite(total))
    throw new SaccadeError(
      'internal',
      'lm_not_finite',
      'The language model produced logits that are not finite numbers. Check its weights.',
    );
  const tokenId = greedy
    ? best
    : sampling.topP < 1
      ? drawNucleus(scratch, total, sampling.topP, random)
      : drawAny(scratch, total, best, random);
  return { tokenId, logprob: (logits[tokenId] - logits[best]) / temperature - Math.log(total) };
}

/** First index of the largest value; NaN is passed over, so the caller's check on the sum must catch it. */
function argmax(values: Float32Array): number {
  let best = 0;
  for (let i = 1; i < values.length; i++)
    if (values[i] > values[best] || Number.isNaN(values[best])) best = i;
  return best;
}

function drawAny(weights: Float64Array, total: number, best: number, random: Random): number {
  let left = random() * total;
  for (let i = 0; i < weights.length; i++) {
    left -= weights[i];
    if (left < 0) return i;
  }
  // Rounding can leave a crumb at the end; the likeliest token is never one of probability 0.
  return best;
}

/** Draws from the smallest set of likeliest tokens that holds `topP` of the probability. */
function drawNucleus(weights: Float64Array, total: number, topP: number, random: Random): number {
  // Tokens below this share hold less than 1 − topP together, so none is in the set and only the rest need sorting.
  const cutoff = ((1 - topP) * total) / weights.length;
  const candidates: number[] = [];
  for (let i = 0; i < weights.length; i++) if (weights[i] >= cutoff) candidates.push(i);
  candidates.sort((a, b) => weights[b] - weights[a] || a - b);
  let mass = 0;
  let size = 0;
  while (size < candidates.length && (size === 0 || mass < topP * total)) mass += weights[candidates[size++]];
  let left = random() * mass;
  for (let i = 0; i < size; i++) {
    left -= weights[candidates[i]];
    if (left < 0) return candidates[i];
  }
  return candidates[0];
}
