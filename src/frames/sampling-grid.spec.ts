import { describe, expect, it } from 'vitest';
import { SamplingGrid } from './sampling-grid.js';

function sample(fps: number, times: number[]): number[] {
  const grid = new SamplingGrid(fps);
  return times.filter((timestampMs) => grid.takes(timestampMs));
}

describe('the sampling grid', () => {
  it('does not drift at 29.97 frames a second', () => {
    const times = Array.from({ length: 29.97 * 3600 }, (_, index) => Math.round((index * 1001) / 30));
    const taken = sample(1, times);
    expect(taken).toHaveLength(3600);
    expect(taken.every((timestampMs, second) => timestampMs - second * 1000 < 34)).toBe(true);
  });

  it('starts its seconds at the first frame', () => {
    expect(sample(1, [21, 521, 1020, 1521, 2021])).toEqual([21, 1020, 2021]);
  });

  it('never goes back in time', () => {
    expect(sample(1, [0, 1000, 2000, 500, 1500, 2000, 3000])).toEqual([0, 1000, 2000, 3000]);
  });

  it('takes the one frame of a gap and then the next second', () => {
    expect(sample(1, [0, 100, 4300, 5000, 5100])).toEqual([0, 4300, 5000]);
  });
});
