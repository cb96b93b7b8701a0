import { describe, expect, it } from 'vitest';
import { learningRateAt } from './learning-rate.js';

const schedule = { peak: 2, warmUp: 0.1, floor: 0.25, totalSteps: 100 };

describe('learningRateAt', () => {
  it('rises in a line over the warm-up', () => {
    expect([1, 5, 10].map((step) => learningRateAt(step, schedule))).toEqual([0.2, 1, 2]);
  });

  it('is half way down between the end of the warm-up and the last step', () => {
    expect(learningRateAt(55, schedule)).toBeCloseTo((2 + 0.5) / 2);
  });

  it('ends at the floor and stays there', () => {
    expect(learningRateAt(100, schedule)).toBeCloseTo(0.5);
    expect(learningRateAt(500, schedule)).toBeCloseTo(0.5);
  });

  it('starts at the peak without warm-up', () => {
    expect(learningRateAt(1, { ...schedule, warmUp: 0 })).toBe(2);
  });
});
