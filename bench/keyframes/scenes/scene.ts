import { seededRandom } from '../../../src/keyframes/random.js';

/** Frames whose overlaps are known. */
export interface Scene {
  name: string;
  /** Whether it was kept out of tuning. */
  heldOut: boolean;
  width: number;
  height: number;
  frameCount: number;
  /** RGB pixels, [height, width, 3]. */
  render(index: number): Uint8Array;
  /**
   * Share of the earlier frame's area whose surface point the current frame shows. On a plane this is the paper's
   * ratio, the current view warped into the earlier frame and clipped to it; with depth it needs no homography.
   */
  trueOverlap(current: number, earlier: number): number;
}

/** What a camera adds: noise and an exposure that wanders by a tenth. */
export function addSensorEffects(rgb: Uint8Array, seed: number, noise: number): void {
  const random = seededRandom(seed);
  const gain = 0.9 + 0.2 * random();
  for (let i = 0; i < rgb.length; i++) {
    const bell = random() + random() + random() - 1.5;
    rgb[i] = Math.max(0, Math.min(255, rgb[i] * gain + 2 * noise * bell + 0.5));
  }
}
