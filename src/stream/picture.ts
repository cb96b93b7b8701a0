import { SaccadeError } from '../errors/saccade-error.js';
import { decodeImage, ImageLimits, readHead } from '../frames/image-decoder.js';
import { IncomingFrame } from '../sessions/live/frame-queue.js';
import { FrameMessage } from './frame-message.js';

/** A frame message as the session takes it; the picture is decoded when its turn comes. */
export function incomingFrame(
  { sequence, timestampUs, isKey, picture }: FrameMessage,
  limits: ImageLimits,
): IncomingFrame {
  const field = `frame ${sequence}`;
  if (picture.length === 0)
    throw new SaccadeError('input', 'frame_empty', `${field} holds no picture.`, { field: 'picture' });
  if (picture.length > limits.maxBytes)
    throw new SaccadeError(
      'too_large',
      'frame_too_large',
      `${field} has ${picture.length} bytes; at most ${limits.maxBytes} are read (STREAM_FRAME_MAX_BYTES). Send smaller pictures.`,
      { field: 'picture', limit: limits.maxBytes },
    );
  return {
    sequence,
    timestampUs,
    isKey,
    byteLength: picture.length,
    decode: async () => decodeImage(await readHead(picture, field, limits), field, limits),
  };
}
