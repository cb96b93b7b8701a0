import { GrayImage } from './gray-image.js';

/** Radius of the disc whose centre of brightness gives a corner its direction, as in ORB. */
export const PATCH_RADIUS = 15;

/** Half width of the disc on each row from the centre outwards. */
export const DISC_HALF_WIDTHS = Uint8Array.from({ length: PATCH_RADIUS + 1 }, (_, dy) =>
  Math.floor(Math.sqrt((PATCH_RADIUS + 0.5) ** 2 - dy * dy)),
);

/** First moments of brightness over the disc around `at`; their angle is the corner's direction (Rosin 1999). */
export function patchMoments(image: GrayImage, at: number): { m10: number; m01: number } {
  const { width, data } = image;
  let m10 = 0;
  let m01 = 0;
  for (let dx = -PATCH_RADIUS; dx <= PATCH_RADIUS; dx++) m10 += dx * data[at + dx];
  for (let dy = 1; dy <= PATCH_RADIUS; dy++) {
    const half = DISC_HALF_WIDTHS[dy];
    const above = at - dy * width;
    const below = at + dy * width;
    let difference = 0;
    for (let dx = -half; dx <= half; dx++) {
      difference += data[below + dx] - data[above + dx];
      m10 += dx * (data[below + dx] + data[above + dx]);
    }
    m01 += dy * difference;
  }
  return { m10, m01 };
}
