import { Features } from './features.js';

/** Pairs of features of two frames: `[n, 4]` x, y in the first frame, then x, y in the second, best first. */
export interface Matches {
  count: number;
  points: Float32Array;
  /** [n] Hamming distances. */
  distances: Uint16Array;
}

/**
 * Cross-checked nearest neighbours by Hamming distance: each is the other's best.
 *
 * A pan to half the overlap moves features by half the width, so no window narrower than the picture is safe; all
 * pairs are compared, which 500 features allow.
 */
export function matchFeatures(first: Features, second: Features): Matches {
  const bestInSecond = new Int16Array(first.count).fill(-1);
  const bestInFirst = new Int16Array(second.count).fill(-1);
  const firstDistance = new Uint16Array(first.count).fill(0xffff);
  const secondDistance = new Uint16Array(second.count).fill(0xffff);
  const a = new Uint32Array(first.descriptors.buffer, first.descriptors.byteOffset, first.count * 8);
  const b = new Uint32Array(second.descriptors.buffer, second.descriptors.byteOffset, second.count * 8);
  for (let i = 0; i < first.count; i++) {
    for (let j = 0; j < second.count; j++) {
      let distance = 0;
      for (let k = 0; k < 8; k++) distance += countBits(a[8 * i + k] ^ b[8 * j + k]);
      if (distance < firstDistance[i]) {
        firstDistance[i] = distance;
        bestInSecond[i] = j;
      }
      if (distance < secondDistance[j]) {
        secondDistance[j] = distance;
        bestInFirst[j] = i;
      }
    }
  }
  const pairs: number[] = [];
  for (let i = 0; i < first.count; i++) {
    if (bestInSecond[i] >= 0 && bestInFirst[bestInSecond[i]] === i) pairs.push(i);
  }
  pairs.sort((p, q) => firstDistance[p] - firstDistance[q] || p - q);
  const points = new Float32Array(pairs.length * 4);
  pairs.forEach((i, n) => {
    const j = bestInSecond[i];
    points.set([first.xs[i], first.ys[i], second.xs[j], second.ys[j]], 4 * n);
  });
  return { count: pairs.length, points, distances: Uint16Array.from(pairs, (i) => firstDistance[i]) };
}

function countBits(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
