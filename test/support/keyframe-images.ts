import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { KeyframeImage } from '../../src/perception/perceiver.js';

/** A keyframe of one colour. */
export async function plainKeyframe(
  index: number,
  colour: { r: number; g: number; b: number },
): Promise<KeyframeImage> {
  const [width, height] = [160, 90];
  const picture = sharp({ create: { width, height, channels: 3, background: colour } });
  const jpeg = await picture.clone().jpeg().toBuffer();
  return {
    index,
    timestampMs: index * 1000,
    width,
    height,
    rgb: await sharp(jpeg).raw().toBuffer(),
    jpeg,
    contentHash: createHash('sha256').update(jpeg).digest('hex'),
  };
}
