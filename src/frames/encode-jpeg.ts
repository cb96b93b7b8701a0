import sharp, { type Sharp } from 'sharp';
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

const THUMBNAIL_WIDTH = 160;

/** A small picture of the frame, for people who watch many. */
export function shrinkToJpeg({
  rgb,
  width,
  height,
}: Pick<Frame, 'rgb' | 'width' | 'height'>): Promise<Buffer> {
  return thumbnail(sharp(rgb, { raw: { width, height, channels: 3 } }));
}

/** The same of a picture that is encoded already. */
export function shrinkJpeg(jpeg: Buffer): Promise<Buffer> {
  return thumbnail(sharp(jpeg));
}

function thumbnail(picture: Sharp): Promise<Buffer> {
  return picture
    .resize({ width: THUMBNAIL_WIDTH, withoutEnlargement: true })
    .jpeg({ quality: 60 })
    .toBuffer();
}
