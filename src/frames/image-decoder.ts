import sharp from 'sharp';
import { SaccadeError } from '../errors/saccade-error.js';
import { tooManyPixels } from './decode-errors.js';
import { base64Capacity, decodeBase64, ImageKind, imageKind, isAnimatedPng } from './image-payload.js';
import { scaledSize, Size } from './scaled-size.js';

export interface ImageLimits {
  /** Most bytes of one encoded picture. */
  maxBytes: number;
  /** Most pixels of one picture; checked before it is decoded. */
  maxPixels: number;
  /** The setting that holds it, for messages; FRAME_MAX_PIXELS when missing. */
  pixelsSetting?: string;
  /** Longest side of the frames, in pixels. */
  maxWidth: number;
}

/** A picture whose head has been read. */
export interface ImageHead extends Size {
  bytes: Buffer;
  kind: ImageKind;
}

/**
 * Reads the head of a picture in base64.
 * @param field name of the field in error messages, such as `frames[3]`
 * @returns its size as displayed (EXIF orientation applied)
 * @throws SaccadeError
 */
export async function readImageHead(text: string, field: string, limits: ImageLimits): Promise<ImageHead> {
  if (base64Capacity(text) > limits.maxBytes + 512) throw tooLarge(field, limits.maxBytes);
  const bytes = decodeBase64(text);
  if (bytes === null) throw unreadable('input', field, 'is not base64 or a data: address with base64');
  if (bytes.length === 0) throw unreadable('input', field, 'is empty');
  if (bytes.length > limits.maxBytes) throw tooLarge(field, limits.maxBytes);
  return readHead(bytes, field, limits);
}

/**
 * Reads the head of a picture, before anything is decoded.
 * @throws SaccadeError when it is no picture, an animation, or too large once decoded
 */
export async function readHead(
  bytes: Buffer,
  field: string,
  limits: Pick<ImageLimits, 'maxPixels' | 'pixelsSetting'>,
): Promise<ImageHead> {
  const kind = imageKind(bytes);
  if (kind === null) throw unreadable('unsupported', field, 'is not a JPEG, PNG or WebP picture');
  const { width, height, pages, orientation } = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch((cause: unknown) => {
      throw unreadable('unprocessable', field, 'has a damaged head', cause);
    });
  if (width * height > limits.maxPixels)
    throw tooManyPixels(field, `${width}x${height}`, limits.maxPixels, limits.pixelsSetting);
  if ((pages ?? 1) > 1 || (kind === 'png' && isAnimatedPng(bytes))) {
    throw unreadable('unsupported', field, 'is an animation');
  }
  const turned = orientation !== undefined && orientation >= 5;
  return { bytes, kind, width: turned ? height : width, height: turned ? width : height };
}

/**
 * Decodes a picture whose head was accepted.
 * @returns interleaved RGB at the size at which frames are looked at
 */
export async function decodeImage(
  head: ImageHead,
  field: string,
  limits: Pick<ImageLimits, 'maxPixels' | 'maxWidth'>,
): Promise<Size & { rgb: Uint8Array }> {
  const size = scaledSize(head, limits.maxWidth);
  try {
    const { data, info } = await sharp(head.bytes, { limitInputPixels: limits.maxPixels, failOn: 'error' })
      .autoOrient()
      .flatten({ background: '#000' })
      .resize(size.width, size.height, { fit: 'fill' })
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== 3) throw new Error(`decoded to ${info.channels} channels`);
    return { ...size, rgb: data };
  } catch (cause) {
    throw unreadable('unprocessable', field, 'is damaged or cut off', cause);
  }
}

function tooLarge(field: string, maxBytes: number): SaccadeError {
  const message = `${field} has more than ${maxBytes} bytes (FRAME_MAX_BYTES). Send a smaller picture.`;
  return new SaccadeError('too_large', 'frame_too_large', message, { field, limit: maxBytes });
}

function unreadable(
  fault: 'input' | 'unsupported' | 'unprocessable',
  field: string,
  what: string,
  cause?: unknown,
): SaccadeError {
  const code = fault === 'unsupported' ? 'unsupported_image' : 'invalid_image';
  return new SaccadeError(fault, code, `${field} ${what}. Send whole still JPEG, PNG or WebP pictures.`, {
    field,
    cause,
  });
}
