import { FfmpegProgram } from './ffmpeg-program.js';
import { evenLimit } from './scaled-size.js';

export interface DecodeLimits {
  sampleFps: number;
  /** Longest side of the frames, in pixels. */
  maxWidth: number;
  /** Most pixels of a source picture; the decoder refuses larger ones before it allocates them. */
  maxPixels: number;
  threads: number;
}

export interface DecodeArguments {
  input: string[];
  filters: string[];
  output: string[];
}

/**
 * Containers that hold their own pictures. Playlists, concatenation scripts and image sequences are left out on
 * purpose: they make FFmpeg open other files and addresses. `mov` is also mp4, `matroska` also webm.
 */
export const CONTAINERS = [
  'mov',
  'matroska',
  'avi',
  'mpegts',
  'mpeg',
  'mpegvideo',
  'flv',
  'ogg',
  'asf',
  'h264',
  'hevc',
  'ivf',
];

/** Slack on the sampling grid: Matroska rounds times to milliseconds, so a frame of second 2 may carry 1.999. */
export const GRID_SLACK_MS = 1;

/** Arguments that make FFmpeg write sampled RGB frames to its standard output and describe each on standard error. */
export function decodeArguments(program: FfmpegProgram, limits: DecodeLimits): DecodeArguments {
  return {
    input: [
      '-nostdin',
      '-hide_banner',
      '-nostats',
      ...['-loglevel', 'level+info'],
      ...['-filter_threads', '1'],
      ...['-protocol_whitelist', 'file,pipe'],
      ...['-format_whitelist', CONTAINERS.join(',')],
      ...['-max_pixels', String(limits.maxPixels)],
      ...['-threads', String(limits.threads)],
    ],
    filters: [
      'settb=AVTB', // whole microseconds: showinfo prints seconds with six digits only, 10 ms coarse after 17 minutes
      `select='${onGrid(limits.sampleFps)}'`,
      `scale=w='${evenSide('iw*sar', limits.maxWidth)}':h='${evenSide('ih', limits.maxWidth)}':flags=area`,
      'format=rgb24',
      'showinfo',
    ],
    output: [
      ...['-map', '0:V:0'], // V leaves out cover pictures
      '-an',
      '-sn',
      '-dn',
      ...['-map_metadata', '-1'], // no text of the file's author among the lines that describe frames
      ...program.passthrough,
      ...['-enc_time_base', '-1'], // else times are rounded to the guessed frame rate, and equal ones are dropped
      ...['-c:v', 'rawvideo'],
      ...['-f', 'rawvideo'],
    ],
  };
}

/** The first frame, then the first one at or after each multiple of the interval. */
function onGrid(fps: number): string {
  const slot = (time: string) => `floor((${time}-start_t+${GRID_SLACK_MS / 1000})*${fps})`;
  return `isnan(prev_selected_t)+gt(${slot('t')},${slot('prev_selected_t')})`;
}

/** `scaledSize` in FFmpeg's words, on the displayed size: pixels need not be square. */
function evenSide(side: string, maxSide: number): string {
  const factor = `min(1,${evenLimit(maxSide)}/max(iw*sar,ih))`;
  return `2*max(1,min(round(${side}*${factor}/2),trunc(${side}/2+0.000001)))`;
}
