/** Uniform numbers in [0, 1). */
export type Random = () => number;

function mix(state: number): number {
  let z = state >>> 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return (z ^ (z >>> 15)) >>> 0;
}

/**
 * A stream of its own for each completion (sfc32), so that what a completion samples depends on its seed and index
 * alone, not on which others run beside it.
 */
export function createRandom(seed: number, index: number): Random {
  let a = mix(seed >>> 0);
  let b = mix(Math.floor(seed / 2 ** 32) ^ 0x9e3779b9);
  let c = mix(index + 0x85ebca6b);
  let counter = 1;
  const next = (): number => {
    const out = (a + b + counter) >>> 0;
    counter = (counter + 1) >>> 0;
    a = (b ^ (b >>> 9)) >>> 0;
    b = (c + (c << 3)) >>> 0;
    c = (((c << 21) | (c >>> 11)) + out) >>> 0;
    return out / 2 ** 32;
  };
  // The first outputs still show the seed; sfc32's author drops 12.
  for (let i = 0; i < 12; i++) next();
  return next;
}
