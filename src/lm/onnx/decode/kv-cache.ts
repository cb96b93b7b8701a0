/** Keys and values of the tokens that a batch has seen. */
export interface KvCache {
  /** Valid slots of each row; they are the last ones, the slots before them are padding. */
  lengths: number[];
  /** P: slots of every row. */
  slots: number;
  /** Per layer [B, KV, P, D]. */
  keys: Float32Array[];
  /** Per layer [B, KV, P, D]. */
  values: Float32Array[];
}

export interface KvShape {
  layers: number;
  /** KV: key and value heads. */
  kvHeads: number;
  /** D: width of a head. */
  headDim: number;
}

export interface KvRow {
  cache: KvCache;
  row: number;
}

export function emptyCache(shape: KvShape, rows: number): KvCache {
  const none = (): Float32Array[] => Array.from({ length: shape.layers }, () => new Float32Array(0));
  return { lengths: new Array<number>(rows).fill(0), slots: 0, keys: none(), values: none() };
}

/**
 * A batch made of rows of other batches: how sequences join, leave and branch off a common prompt. Rows are aligned
 * at their ends, so that the next token of each goes to the same slot, and the shortest padding that fits is used.
 */
export function packRows(rows: readonly KvRow[], shape: KvShape): KvCache {
  const lengths = rows.map(({ cache, row }) => cache.lengths[row]);
  const slots = Math.max(0, ...lengths);
  const pack = (side: 'keys' | 'values', layer: number): Float32Array => {
    const { kvHeads, headDim } = shape;
    const packed = new Float32Array(rows.length * kvHeads * slots * headDim);
    rows.forEach(({ cache, row }, target) => {
      const source = cache[side][layer];
      const length = lengths[target];
      for (let head = 0; head < kvHeads; head++) {
        const end = (row * kvHeads + head + 1) * cache.slots * headDim;
        const at = ((target * kvHeads + head + 1) * slots - length) * headDim;
        packed.set(source.subarray(end - length * headDim, end), at);
      }
    });
    return packed;
  };
  const layers = Array.from({ length: shape.layers }, (_, layer) => layer);
  return {
    lengths,
    slots,
    keys: layers.map((l) => pack('keys', l)),
    values: layers.map((l) => pack('values', l)),
  };
}

/** Added to the score of what must not be seen. */
export const MASKED = -1e9;

/**
 * What each new token may attend to: its row's valid slots, and the new tokens up to itself.
 *
 * @returns [B, 1, T, P + T], 0 or −1e9
 */
export function attentionBias(lengths: readonly number[], slots: number, newTokens: number): Float32Array {
  const width = slots + newTokens;
  const bias = new Float32Array(lengths.length * newTokens * width);
  lengths.forEach((length, row) => {
    for (let t = 0; t < newTokens; t++) {
      const start = (row * newTokens + t) * width;
      bias.fill(MASKED, start, start + slots - length);
      bias.fill(MASKED, start + slots + t + 1, start + width);
    }
  });
  return bias;
}
