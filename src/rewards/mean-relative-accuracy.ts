/** θ = 0.50, 0.55, … 0.95. */
const THRESHOLDS = Array.from({ length: 10 }, (_, i) => (50 + 5 * i) / 100);
/** 1 − 0.95 is not 0.05 in binary; an error of exactly 5 % must count. */
const ROUNDING = 1e-9;

/**
 * Share of the thresholds θ under which the relative error |p − g| / |g| is at most 1 − θ (VSI-Bench, Yang et al. 2024).
 * Against 0 only 0 is right.
 */
export function meanRelativeAccuracy(predicted: number, expected: number): number {
  if (expected === 0) return predicted === 0 ? 1 : 0;
  const error = Math.abs(predicted - expected) / Math.abs(expected);
  return THRESHOLDS.filter((threshold) => error <= 1 - threshold + ROUNDING).length / THRESHOLDS.length;
}
