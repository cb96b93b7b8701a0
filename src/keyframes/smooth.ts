import { GrayImage } from './gray-image.js';

/**
 * Smooths with the binomial kernel 1 4 6 4 1 in both directions, rounding after each, so that a single noisy pixel
 * does not flip a descriptor bit. The two outermost pixels are copied: no test point lies there.
 */
export function smooth(from: GrayImage, to: GrayImage, scratch: Uint8Array): void {
  const { width, height, data } = from;
  const size = width * height;
  scratch.set(data.subarray(0, 2 * width));
  scratch.set(data.subarray(size - 2 * width, size), size - 2 * width);
  for (let i = 2 * width; i < size - 2 * width; i++) {
    const outer = data[i - 2 * width] + data[i + 2 * width];
    scratch[i] = (outer + 4 * (data[i - width] + data[i + width]) + 6 * data[i] + 8) >> 4;
  }
  to.data[0] = scratch[0];
  to.data[1] = scratch[1];
  to.data[size - 2] = scratch[size - 2];
  to.data[size - 1] = scratch[size - 1];
  for (let i = 2; i < size - 2; i++) {
    const outer = scratch[i - 2] + scratch[i + 2];
    to.data[i] = (outer + 4 * (scratch[i - 1] + scratch[i + 1]) + 6 * scratch[i] + 8) >> 4;
  }
}
