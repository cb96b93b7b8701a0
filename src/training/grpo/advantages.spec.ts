import { describe, expect, it } from 'vitest';
import { groupAdvantages, hasSpread } from './advantages.js';

describe('advantages', () => {
  it('are rewards against the mean of their own group', () => {
    const [first, second] = groupAdvantages(
      [
        [1, 0, 0, 0],
        [5, 6, 5, 6],
      ],
      'none',
    );
    expect(first).toEqual([0.75, -0.25, -0.25, -0.25]);
    expect(second).toEqual([-0.5, 0.5, -0.5, 0.5]);
  });

  it('are scaled by the spread of the group, or of the batch', () => {
    const groups = [
      [1, 0, 0, 0],
      [1, 1, 1, 0],
    ];
    expect(groupAdvantages(groups, 'group')[0]![0]).toBeCloseTo(0.75 / (0.5 + 1e-4), 9);
    expect(groupAdvantages(groups, 'batch')[0]![0]).toBeCloseTo(0.75 / (0.5345224838 + 1e-4), 9);
  });

  it('leave out what could not be scored, and give it none', () => {
    const [advantages] = groupAdvantages([[1, null, 0]], 'none');
    expect(advantages).toEqual([0.5, null, -0.5]);
  });

  it('are all zero in a group of equals, whatever the scale', () => {
    for (const scale of ['group', 'batch', 'none'] as const)
      expect(groupAdvantages([[0.7, 0.7, 0.7]], scale)).toEqual([[0, 0, 0]]);
  });
});

it.each([
  [[1, 1, 1], false],
  [[0.1 + 0.2, 0.3], false],
  [[1, 0], true],
  [[1, null], false],
  [[], false],
])('says whether rewards %j tell completions apart', (rewards, expected) => {
  expect(hasSpread(rewards)).toBe(expected);
});
