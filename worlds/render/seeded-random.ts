/** A seeded source of numbers, so that every scene, path and question can be made again bit for bit. */
export interface SeededRandom {
  /** Uniform in [0, 1). */
  next(): number;
  between(low: number, high: number): number;
  /** Whole number in [0, count). */
  below(count: number): number;
  pick<T>(items: readonly T[]): T;
  shuffle<T>(items: readonly T[]): T[];
}

/** Mulberry32: 32 bits of state are plenty for scenes, and it runs alike in Node and in the page. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    next,
    below,
    between: (low, high) => low + (high - low) * next(),
    pick: (items) => items[below(items.length)],
    shuffle: (items) => {
      const copy = [...items];
      for (let last = copy.length - 1; last > 0; last -= 1) {
        const other = below(last + 1);
        [copy[last], copy[other]] = [copy[other], copy[last]];
      }
      return copy;
    },
  };
}
