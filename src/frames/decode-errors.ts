import { SaccadeError } from '../errors/saccade-error.js';
import { CONTAINERS } from './ffmpeg-arguments.js';
import { DecoderLog } from './decoder-log.js';

/** Request field that the video came in. */
export type VideoField = 'video' | 'video_url';

const SUGGESTED = 'Send mp4, webm, mkv, mov, avi or ts with H.264, HEVC, VP9, AV1 or MPEG-4 pictures.';

export function videoTooLarge(field: VideoField, maxBytes: number): SaccadeError {
  return new SaccadeError(
    'too_large',
    'video_too_large',
    `The video is larger than ${maxBytes} bytes (VIDEO_MAX_BYTES). Send a shorter or smaller one.`,
    { field, limit: maxBytes },
  );
}

export function videoTooLong(field: VideoField, maxDurationMs: number): SaccadeError {
  return new SaccadeError(
    'too_large',
    'video_too_long',
    `The video is longer than ${maxDurationMs / 1000} s (VIDEO_MAX_SECONDS). Send a shorter part of it.`,
    { field, limit: maxDurationMs },
  );
}

export function tooManyPixels(
  field: string,
  size: string,
  maxPixels: number,
  setting = 'FRAME_MAX_PIXELS',
): SaccadeError {
  return new SaccadeError(
    'too_large',
    'too_many_pixels',
    `Pictures of ${size} in ${field} have more than ${maxPixels} pixels (${setting}). Scale them down first.`,
    { field, limit: maxPixels },
  );
}

export function decodeTimeout(field: VideoField, timeoutMs: number): SaccadeError {
  return new SaccadeError(
    'deadline',
    'decode_timeout',
    `Decoding the video took longer than ${timeoutMs} ms (DECODE_TIMEOUT_MS). Send a shorter or smaller one.`,
    { field, limit: timeoutMs, retryable: false },
  );
}

export function emptyVideo(field: VideoField): SaccadeError {
  return new SaccadeError('unprocessable', 'not_a_video', `The video is empty (0 bytes). ${SUGGESTED}`, {
    field,
  });
}

/** The program was there when it was looked for, but the system did not start it. */
export function notStarted(cause: unknown): SaccadeError {
  const message = `FFmpeg could not be started (${cause instanceof Error ? cause.message : 'no reason given'}). Try again.`;
  return new SaccadeError('internal', 'ffmpeg_not_started', message, {
    field: 'FFMPEG_PATH',
    retryable: true,
    cause,
  });
}

/** Why a decoder that has ended gave no frame at all. */
export function noFrames(
  field: VideoField,
  log: DecoderLog,
  maxPixels: number,
  end: Error | null,
): SaccadeError {
  if (log.refusedSize !== null) return tooManyPixels(field, log.refusedSize, maxPixels);
  const said = (pattern: RegExp) => log.problems.find((problem) => pattern.test(problem));
  const details = { field, cause: end ?? undefined };
  if (said(/Format not on whitelist/) !== undefined) {
    const message = `The file is of a kind that is not read (read are ${CONTAINERS.join(', ')}). ${SUGGESTED}`;
    return new SaccadeError('unsupported', 'unsupported_container', message, details);
  }
  if (said(/matches no streams/) !== undefined) {
    return new SaccadeError(
      'unprocessable',
      'no_video',
      `The file holds no video stream. ${SUGGESTED}`,
      details,
    );
  }
  if (said(/Decoder .*not found|Decoding requested, but no decoder|no decoder found/i) !== undefined) {
    const codec = log.video === null || log.video.codec === 'none' ? 'This kind of' : log.video.codec;
    const message = `${codec} video cannot be decoded by the FFmpeg in use. ${SUGGESTED}`;
    return new SaccadeError('unsupported', 'unsupported_codec', message, details);
  }
  if (log.video === null) {
    const message = `The file is not a video that can be read (${log.problems.at(0) ?? 'the decoder did not say why'}). ${SUGGESTED}`;
    return new SaccadeError('unprocessable', 'not_a_video', message, details);
  }
  const reason = log.problems.at(0);
  const message = `No picture of the video could be decoded${reason === undefined ? '' : ` (${reason})`}. ${SUGGESTED}`;
  return new SaccadeError('unprocessable', 'no_video', message, details);
}
