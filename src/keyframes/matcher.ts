import { DESCRIPTOR_BYTES } from './brief.js';
import { Features } from './features.js';
import { kernel } from './kernel/kernel.js';

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
  const { forward, backward } = kernel.nearest(descriptorsOf(first), descriptorsOf(second));
  const pairs: number[] = [];
  for (let i = 0; i < first.count; i++) {
    const j = forward[2 * i]!;
    if (j >= 0 && backward[2 * j] === i) pairs.push(i);
  }
  const distance = (i: number) => forward[2 * i + 1]!;
  pairs.sort((p, q) => distance(p) - distance(q) || p - q);
  const points = new Float32Array(pairs.length * 4);
  pairs.forEach((i, n) => {
    const j = forward[2 * i]!;
    points.set([first.xs[i]!, first.ys[i]!, second.xs[j]!, second.ys[j]!], 4 * n);
  });
  return { count: pairs.length, points, distances: Uint16Array.from(pairs, distance) };
}

function descriptorsOf({ descriptors, count }: Features): Uint8Array {
  return descriptors.subarray(0, count * DESCRIPTOR_BYTES);
}
