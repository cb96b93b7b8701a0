import { describe, expect, it } from 'vitest';
import { createRandom } from './random.js';
import { sampleToken } from './sampler.js';

const LOGITS = Float32Array.of(1, 3, 2, -1, 3.5);

function probabilities(logits: Float32Array, temperature: number): number[] {
  const weights = [...logits].map((logit) => Math.exp(logit / temperature));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

function draw(count: number, sampling: { temperature: number; topP: number }, logits = LOGITS): number[] {
  const random = createRandom(5, 0);
  const scratch = new Float64Array(logits.length);
  const counts = new Array<number>(logits.length).fill(0);
  for (let i = 0; i < count; i++) counts[sampleToken(logits, sampling, random, scratch).tokenId]++;
  return counts.map((n) => n / count);
}

describe('sampleToken', () => {
  it.each([0.5, 1, 2])('draws as often as softmax at temperature %s says', (temperature) => {
    const shares = draw(40_000, { temperature, topP: 1 });
    probabilities(LOGITS, temperature).forEach((p, i) => expect(shares[i]).toBeCloseTo(p, 1.7));
  });

  it('takes the likeliest token at temperature 0, the first of equals', () => {
    expect(draw(50, { temperature: 0, topP: 1 })).toEqual([0, 0, 0, 0, 1]);
    expect(draw(50, { temperature: 0, topP: 1 }, Float32Array.of(1, 2, 2))).toEqual([0, 1, 0]);
  });

  it('draws only from the smallest set that holds top-p, in proportion', () => {
    const p = probabilities(LOGITS, 1);
    const shares = draw(40_000, { temperature: 1, topP: p[4] + p[1] - 0.01 });
    expect(shares[0] + shares[2] + shares[3]).toBe(0);
    expect(shares[4] / shares[1]).toBeCloseTo(p[4] / p[1], 1);
    expect(draw(200, { temperature: 1, topP: 0.01 })).toEqual([0, 0, 0, 0, 1]);
  });

  it('keeps tokens of equal probability in a set by their order', () => {
    expect(draw(200, { temperature: 1, topP: 0.2 }, new Float32Array(8)).slice(2)).toEqual([
      0, 0, 0, 0, 0, 0,
    ]);
  });

  it('tells the log-probability at the temperature, before top-p', () => {
    for (const topP of [1, 0.3]) {
      const { tokenId, logprob } = sampleToken(
        LOGITS,
        { temperature: 0.7, topP },
        createRandom(1, 0),
        new Float64Array(5),
      );
      expect(logprob).toBeCloseTo(Math.log(probabilities(LOGITS, 0.7)[tokenId]), 10);
    }
    const greedy = sampleToken(LOGITS, { temperature: 0, topP: 1 }, createRandom(1, 0), new Float64Array(5));
    expect(greedy.logprob).toBeCloseTo(Math.log(probabilities(LOGITS, 1)[4]), 10);
  });

  it('keeps very unlikely tokens at log-probabilities that are finite', () => {
    const { logprob } = sampleToken(
      Float32Array.of(0, 5000),
      { temperature: 1, topP: 1 },
      () => 0.999999,
      new Float64Array(2),
    );
    expect(logprob).toBe(0);
  });

  it('never draws a token of probability 0', () => {
    const masked = Float32Array.of(-Infinity, 1, -Infinity);
    for (const u of [0, 0.5, 1 - 2 ** -53])
      expect(sampleToken(masked, { temperature: 1, topP: 1 }, () => u, new Float64Array(3)).tokenId).toBe(1);
  });

  it.each([
    [Float32Array.of(NaN, 1)],
    [Float32Array.of(1, NaN)],
    [Float32Array.of(1, Infinity)],
    [Float32Array.of(-Infinity, -Infinity)],
  ])('refuses logits that are not finite: %s', (logits) => {
    expect(() => sampleToken(logits, { temperature: 1, topP: 1 }, () => 0.5, new Float64Array(2))).toThrow(
      expect.objectContaining({ code: 'lm_not_finite' }),
    );
  });
});

describe('createRandom', () => {
  const take = (seed: number, index: number, n = 3): number[] =>
    Array.from({ length: n }, createRandom(seed, index));

  it('repeats its stream for a seed and index', () => {
    expect(take(42, 1)).toEqual(take(42, 1));
  });

  it('gives every seed and index a stream of its own, beyond 32 bits too', () => {
    const streams = [
      take(0, 0),
      take(0, 1),
      take(1, 0),
      take(2 ** 32, 0),
      take(2 ** 32 + 1, 0),
      take(2 ** 52, 0),
    ];
    expect(new Set(streams.map(String)).size).toBe(streams.length);
  });

  it('is uniform over [0, 1)', () => {
    const bins = new Array<number>(10).fill(0);
    for (const u of take(9, 9, 50_000)) bins[Math.floor(u * 10)]++;
    for (const n of bins) expect(Math.abs(n - 5000)).toBeLessThan(300);
  });

  it('is not correlated between neighbouring indices', () => {
    const firsts = Array.from({ length: 5000 }, (_, index) => take(3, index, 1)[0]);
    const mean = firsts.reduce((sum, u) => sum + u, 0) / firsts.length;
    const lag =
      firsts.slice(1).reduce((sum, u, i) => sum + (u - mean) * (firsts[i] - mean), 0) / firsts.length;
    expect(mean).toBeCloseTo(0.5, 1);
    expect(Math.abs(lag * 12)).toBeLessThan(0.06);
  });
});
