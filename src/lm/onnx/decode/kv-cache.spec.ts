import { describe, expect, it } from 'vitest';
import { attentionBias, emptyCache, KvCache, packRows } from './kv-cache.js';

const SHAPE = { layers: 1, kvHeads: 2, headDim: 1 };

/** One row of 2 heads whose slots hold `first`, `first + 1` … and 100 more in the second head; values are negative. */
function rowOf(first: number, length: number): KvCache {
  const head = Array.from({ length }, (_, i) => first + i);
  const keys = Float32Array.from([...head, ...head.map((x) => x + 100)]);
  return { lengths: [length], slots: length, keys: [keys], values: [keys.map((x) => -x)] };
}

describe('packRows', () => {
  it('aligns rows of different lengths at their ends', () => {
    const packed = packRows(
      [
        { cache: rowOf(1, 3), row: 0 },
        { cache: rowOf(7, 1), row: 0 },
      ],
      SHAPE,
    );
    expect(packed).toMatchObject({ lengths: [3, 1], slots: 3 });
    expect([...packed.keys[0]]).toEqual([1, 2, 3, 101, 102, 103, 0, 0, 7, 0, 0, 107]);
    expect([...packed.values[0]].map(Math.abs)).toEqual([...packed.keys[0]]);
  });

  it('drops padding that no row needs any more', () => {
    const both = packRows(
      [
        { cache: rowOf(1, 3), row: 0 },
        { cache: rowOf(7, 2), row: 0 },
      ],
      SHAPE,
    );
    expect(packRows([{ cache: both, row: 1 }], SHAPE)).toEqual(rowOf(7, 2));
  });

  it('branches several rows off one', () => {
    const prompt = rowOf(4, 2);
    const packed = packRows(
      [
        { cache: prompt, row: 0 },
        { cache: prompt, row: 0 },
      ],
      SHAPE,
    );
    expect([...packed.keys[0]]).toEqual([4, 5, 104, 105, 4, 5, 104, 105]);
  });

  it('makes an empty batch of no rows', () => {
    expect(packRows([], SHAPE)).toEqual(emptyCache(SHAPE, 0));
  });
});

describe('attentionBias', () => {
  it('masks padding and the future', () => {
    const bias = [...attentionBias([1, 2], 2, 2)].map((x) => (x === 0 ? 1 : 0));
    expect(bias).toEqual([0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1]);
  });
});
