import sharp from 'sharp';
import { Size } from './scaled-size.js';

/** Brings a picture to the size of the first one of its stream, with black bars where the shapes differ. */
export async function matchSize(rgb: Uint8Array, from: Size, to: Size): Promise<Uint8Array> {
  if (from.width === to.width && from.height === to.height) return rgb;
  return sharp(rgb, { raw: { width: from.width, height: from.height, channels: 3 } })
    .resize(to.width, to.height, { fit: 'contain', background: '#000' })
    .raw()
    .toBuffer();
}
