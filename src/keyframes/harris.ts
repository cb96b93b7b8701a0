import { GrayImage } from './gray-image.js';

const HALF_BLOCK = 3;
const K = 0.04;

/** Harris corner response over a 7×7 block of Sobel gradients around one pixel, at least 4 pixels from the edge. */
export function harrisResponse(image: GrayImage, at: number): number {
  const { width, data } = image;
  let xx = 0;
  let yy = 0;
  let xy = 0;
  for (let dy = -HALF_BLOCK; dy <= HALF_BLOCK; dy++) {
    const row = at + dy * width;
    for (let p = row - HALF_BLOCK; p <= row + HALF_BLOCK; p++) {
      const up = p - width;
      const down = p + width;
      const corners = data[down + 1] - data[up - 1];
      const slants = data[up + 1] - data[down - 1];
      const gx = 2 * (data[p + 1] - data[p - 1]) + corners + slants;
      const gy = 2 * (data[down] - data[up]) + corners - slants;
      xx += gx * gx;
      yy += gy * gy;
      xy += gx * gy;
    }
  }
  return xx * yy - xy * xy - K * (xx + yy) * (xx + yy);
}
