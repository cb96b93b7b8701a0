import { describe, expect, it } from 'vitest';
import { narrowToBfloat16, narrowToFloat16, widenBfloat16, widenFloat16 } from './float-formats.js';

const ALL = Uint16Array.from({ length: 65536 }, (_, i) => i);

describe.each([
  ['bfloat16', widenBfloat16, narrowToBfloat16],
  ['float16', widenFloat16, narrowToFloat16],
])('%s', (_, widen, narrow) => {
  it('survives the way there and back for every number that is one', () => {
    const wide = new Float32Array(65536);
    widen(ALL, wide);
    const back = new Uint16Array(65536);
    narrow(wide, back);
    const changed = ALL.filter((half) => back[half] !== half && !Number.isNaN(wide[half]));
    expect([...changed]).toEqual([]);
    expect(
      ALL.filter((half) => Number.isNaN(wide[half])).every((half) => (back[half] & 0x7fff) > 0x7c00),
    ).toBe(true);
  });

  it('rounds to the nearest, half way to even', () => {
    const wide = new Float32Array(65536);
    widen(ALL, wide);
    for (const half of [1, 2, 0x0400, 0x3c00, 0x3c01, 0x3f80, 0x4248]) {
      const middle = (wide[half] + wide[half + 1]) / 2;
      const out = new Uint16Array(3);
      narrow(
        Float32Array.of(middle, middle - (middle - wide[half]) / 4, middle + (wide[half + 1] - middle) / 4),
        out,
      );
      expect([...out]).toEqual([half % 2 === 0 ? half : half + 1, half, half + 1]);
    }
  });
});

describe('known values', () => {
  it('reads halves and bfloat16s as IEEE defines them', () => {
    const out = new Float32Array(6);
    widenFloat16(Uint16Array.of(0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x8000), out);
    expect([...out]).toEqual([1, -2, 65504, 2 ** -24, Infinity, -0]);
    const brain = new Float32Array(3);
    widenBfloat16(Uint16Array.of(0x3f80, 0xc049, 0x7f80), brain);
    expect([...brain]).toEqual([1, -3.140625, Infinity]);
  });

  it('turns what is too large for a half into infinity', () => {
    const out = new Uint16Array(4);
    narrowToFloat16(Float32Array.of(65519, 65520, -1e9, 2 ** -26), out);
    expect([...out]).toEqual([0x7bff, 0x7c00, 0xfc00, 0]);
  });
});
