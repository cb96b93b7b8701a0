import { GrayImage } from './gray-image.js';
import { kernel, Taps } from './kernel/kernel.js';

/** Size of the picture that features are taken from: at most `maxWidth` wide, same shape. */
export function analysisSize(
  width: number,
  height: number,
  maxWidth: number,
): { width: number; height: number } {
  if (width <= maxWidth) return { width, height };
  return { width: maxWidth, height: Math.max(1, Math.round((height * maxWidth) / width)) };
}

/**
 * Luma of an RGB picture, shrunk by averaging over the area that each output pixel covers.
 *
 * @param rgb [height, width, 3]
 */
export function analysedLuma(rgb: Uint8Array, width: number, height: number, maxWidth: number): GrayImage {
  const size = analysisSize(width, height, maxWidth);
  const same = size.width === width && size.height === height;
  const luma = same
    ? kernel.luma(rgb)
    : kernel.shrunkLuma(rgb, width, coverage(height, size.height), coverage(width, size.width));
  return { ...size, data: luma.slice() };
}

/** The shares in which `to` pixels divide `from` among them. */
export function coverage(from: number, to: number): Taps {
  const scale = from / to;
  const count = Math.min(from, Math.ceil(scale) + 1);
  const starts = new Int32Array(to);
  const weights = new Int32Array(to * count);
  for (let i = 0; i < to; i++) {
    const start = Math.min(Math.floor(i * scale), from - count);
    starts[i] = start;
    // The edges are rounded rather than the weights, so that these sum to 256.
    const reached = (edge: number) => Math.round(256 * Math.min(1, Math.max(0, edge / scale - i)));
    for (let tap = 0; tap < count; tap++) {
      weights[i * count + tap] = reached(start + tap + 1) - reached(start + tap);
    }
  }
  return { count, starts, weights };
}
