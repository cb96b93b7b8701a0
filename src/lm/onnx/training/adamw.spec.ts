import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adamWStep, clipScale, globalNorm } from './adamw.js';

interface Reference {
  options: { lr: number; betas: [number, number]; eps: number; weight_decay: number };
  clip: number;
  start: { matrix: number[]; bias: number[] };
  steps: {
    matrix_gradient: number[];
    bias_gradient: number[];
    norm: number;
    matrix: number[];
    bias: number[];
  }[];
}

// Written by test/oracles/lm/adamw_reference.py
const reference = JSON.parse(
  readFileSync(new URL('../../../../test/fixtures/lm-graph/adamw.json', import.meta.url), 'utf8'),
) as Reference;

const options = {
  learningRate: reference.options.lr,
  beta1: reference.options.betas[0],
  beta2: reference.options.betas[1],
  epsilon: reference.options.eps,
};

describe('adamWStep', () => {
  it('follows torch.optim.AdamW with clipping for ten steps', () => {
    const matrix = Float32Array.from(reference.start.matrix);
    const bias = Float32Array.from(reference.start.bias);
    const moments = (count: number) => ({ first: new Float32Array(count), second: new Float32Array(count) });
    const [matrixMoments, biasMoments] = [moments(matrix.length), moments(bias.length)];
    let clipped = 0;
    reference.steps.forEach((expected, index) => {
      const gradients = [expected.matrix_gradient, expected.bias_gradient].map((g) => Float32Array.from(g));
      const norm = globalNorm(gradients);
      const scale = clipScale(norm, reference.clip);
      if (scale < 1) clipped++;
      const decay = reference.options.weight_decay;
      adamWStep(matrix, gradients[0]!, matrixMoments, index + 1, { ...options, weightDecay: decay }, scale);
      adamWStep(bias, gradients[1]!, biasMoments, index + 1, { ...options, weightDecay: 0 }, scale);
      expect(norm).toBeCloseTo(expected.norm, 5);
      expected.matrix.forEach((value, i) => expect(matrix[i]).toBeCloseTo(value, 5));
      expected.bias.forEach((value, i) => expect(bias[i]).toBeCloseTo(value, 5));
    });
    expect(clipped).toBeGreaterThan(0);
    expect(clipped).toBeLessThan(reference.steps.length);
  });
});

describe('globalNorm', () => {
  it('is not finite when any gradient is not', () => {
    expect(Number.isFinite(globalNorm([Float32Array.of(1), Float32Array.of(NaN)]))).toBe(false);
    expect(Number.isFinite(globalNorm([Float32Array.of(1, -Infinity)]))).toBe(false);
  });
});
