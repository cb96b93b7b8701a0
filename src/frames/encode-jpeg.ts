import sharp from 'sharp';
import { Frame } from './frame.js';

/** The frame as a JPEG of the given quality (1–100), as keyframes are kept. */
export function encodeJpeg(
  { rgb, width, height }: Pick<Frame, 'rgb' | 'width' | 'height'>,
  quality: number,
): Promise<Buffer> {
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer();
}
