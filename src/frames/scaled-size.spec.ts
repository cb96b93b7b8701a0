import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scaledSize } from './scaled-size.js';

describe('the size at which a picture is looked at', () => {
  it.each([
    [1920, 1080, 640, 640, 360],
    [1366, 768, 640, 640, 360],
    [1080, 1920, 640, 360, 640],
    [320, 180, 640, 320, 180],
    [161, 91, 640, 160, 90],
    [10_000, 2, 640, 640, 2],
    [1, 1, 640, 2, 2],
    [1000, 1000, 641, 640, 640],
  ])('makes %i × %i at most %i into %i × %i', (width, height, maxSide, toWidth, toHeight) => {
    expect(scaledSize({ width, height }, maxSide)).toEqual({ width: toWidth, height: toHeight });
  });

  it('is even, within the limit, never enlarged and of the same shape', () => {
    const side = fc.integer({ min: 2, max: 20_000 });
    fc.assert(
      fc.property(side, side, fc.integer({ min: 160, max: 1920 }), (width, height, maxSide) => {
        const scaled = scaledSize({ width, height }, maxSide);
        for (const [to, from] of [
          [scaled.width, width],
          [scaled.height, height],
        ] as const) {
          expect(to % 2).toBe(0);
          expect(to).toBeGreaterThanOrEqual(2);
          expect(to).toBeLessThanOrEqual(Math.min(maxSide, from));
          expect(Math.abs(to - from * Math.min(1, maxSide / Math.max(width, height)))).toBeLessThanOrEqual(2);
        }
      }),
    );
  });
});
