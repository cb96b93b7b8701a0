import { describe, expect, it } from 'vitest';
import { RateLimit } from './rate-limit.js';

function clocked(perSecond: number) {
  let ms = 0;
  const limit = new RateLimit(perSecond, () => ms);
  return { limit, wait: (more: number) => (ms += more) };
}

describe('a rate limit', () => {
  it('lets two seconds’ worth through at once, then the rate', () => {
    const { limit, wait } = clocked(10);
    expect(Array.from({ length: 25 }, () => limit.take(1)).filter(Boolean)).toHaveLength(20);
    wait(1000);
    expect(Array.from({ length: 25 }, () => limit.take(1)).filter(Boolean)).toHaveLength(10);
  });

  it('lets one through of a rate below one a second', () => {
    const { limit, wait } = clocked(0.1);
    expect([limit.take(1), limit.take(1)]).toEqual([true, false]);
    wait(10_001);
    expect(limit.take(1)).toBe(true);
  });

  it('lets an amount through that is more than a whole burst when nothing came before', () => {
    const { limit } = clocked(10);
    expect([limit.take(1000), limit.take(1)]).toEqual([true, false]);
  });

  it('tells abuse from a burst, and forgives it', () => {
    const { limit, wait } = clocked(10);
    for (let i = 0; i < 500; i++) limit.take(1);
    expect(limit.isAbused).toBe(false);
    limit.take(1);
    expect(limit.isAbused).toBe(true);
    wait(5000);
    limit.take(1);
    expect(limit.isAbused).toBe(false);
  });
});
