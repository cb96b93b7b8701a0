import { execFile } from 'node:child_process';
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findFfmpeg } from '../../src/frames/ffmpeg-program.js';

const run = promisify(execFile);

const program = findFfmpeg({ dataDir: join(tmpdir(), 'saccade-test-programs') });

/** Runs the FFmpeg that the product would find here, the system's or npm's, which makes the videos of these tests. */
export async function runFfmpeg(...args: string[]): Promise<void> {
  await run((await program).path, ['-nostdin', '-v', 'error', '-y', '-threads', '2', ...args]);
}

export interface ClockVideo {
  width: number;
  height: number;
  fps: number;
  seconds: number;
  /** Encoder arguments. */
  encode: string[];
  /** More inputs, after the pictures. */
  inputs?: string[];
  /** Filters after the clock. */
  filters?: string[];
}

/** How much brighter the picture gets each second. */
export const LUMA_PER_SECOND = 16;

/**
 * A video whose brightness tells the time: luma is 32 + 16 per second, whole seconds only. Left third a little
 * brighter than the rest, so that turning it shows.
 */
export async function makeClock(
  path: string,
  { width, height, fps, seconds, encode, inputs = [], filters = [] }: ClockVideo,
): Promise<string> {
  const luma = `32+${LUMA_PER_SECOND}*floor(T+0.0001)+if(lt(X,W/3),60,0)`;
  const source = `color=c=black:s=${width}x${height}:r=${fps}:d=${seconds}`;
  const clock = [`geq=lum='${luma}':cb=128:cr=128`, ...filters].join(',');
  // computed small and enlarged: geq is slow
  const picture = `${source.replace(/s=\d+x\d+/, 's=12x12')},format=yuv420p,${clock},scale=${width}:${height}:flags=neighbor,setsar=1`;
  await runFfmpeg('-f', 'lavfi', '-i', picture, ...inputs, ...encode, path);
  return path;
}

/** Whole seconds that the brightness of a clock frame tells, from its right, plain part. */
export function readClock({
  rgb,
  width,
  height,
}: {
  rgb: Uint8Array;
  width: number;
  height: number;
}): number {
  const at = (Math.floor(height / 2) * width + Math.floor(width * 0.8)) * 3;
  // limited-range luma to full-range RGB
  const luma = rgb[at + 1]! / (255 / 219) + 16;
  return Math.max(0, Math.round((luma - 32) / LUMA_PER_SECOND));
}

/** Keeps the first `share` of a file. */
export async function truncateFile(path: string, share: number): Promise<string> {
  const file = await open(path, 'r+');
  try {
    await file.truncate(Math.floor((await stat(path)).size * share));
  } finally {
    await file.close();
  }
  return path;
}

/** Overwrites `bytes` bytes at the given share of the file. */
export async function damageFile(path: string, share: number, bytes: number): Promise<string> {
  const content = await readFile(path);
  const start = Math.floor(content.length * share);
  for (let at = start; at < Math.min(content.length, start + bytes); at++) content[at] = (at * 167) & 255;
  await writeFile(path, content);
  return path;
}

/** Sets the display rotation of the first track of an mp4, clockwise, by its `tkhd` matrix (ISO 14496-12, 8.3.2). */
export async function rotateMp4(path: string, degrees: 90 | 180 | 270): Promise<string> {
  const content = await readFile(path);
  const header = content.indexOf('tkhd') + 4;
  const matrix = header + (content[header] === 1 ? 52 : 40);
  const [a, b, c, d] = { 90: [0, 1, -1, 0], 180: [-1, 0, 0, -1], 270: [0, -1, 1, 0] }[degrees] as [
    number,
    number,
    number,
    number,
  ];
  for (const [index, value] of [
    [0, a],
    [1, b],
    [3, c],
    [4, d],
  ] as const) {
    content.writeInt32BE(value * 65536, matrix + index * 4);
  }
  await writeFile(path, content);
  return path;
}

/** A clock with uneven times: 10 frames a second until second 2, then one at 4.3 s, then 10 a second from 5 to 7 s. */
export async function makeUneven(path: string, encode: string[]): Promise<string> {
  const keep = `select='lt(t,2)+between(t,4.25,4.35)+gte(t,4.99)'`;
  const picture = `color=c=black:s=12x12:r=10:d=7,format=yuv420p,geq=lum='32+${LUMA_PER_SECOND}*floor(T+0.0001)':cb=128:cr=128,scale=64:48:flags=neighbor,setsar=1,${keep}`;
  await runFfmpeg('-f', 'lavfi', '-i', picture, '-vsync', 'passthrough', ...encode, path);
  return path;
}

/** Two clips of different size in one transport stream, as a camera that changes resolution writes. */
export async function makeSizeChange(folder: string): Promise<string> {
  const encode = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'];
  const first = await makeClock(join(folder, 'first.ts'), {
    width: 320,
    height: 180,
    fps: 10,
    seconds: 2,
    encode,
  });
  const second = join(folder, 'second.ts');
  const later = ['-output_ts_offset', '2'];
  await makeClock(second, { width: 160, height: 90, fps: 10, seconds: 2, encode: [...encode, ...later] });
  const joined = `${first}.joined`;
  await writeFile(joined, Buffer.concat([await readFile(first), await readFile(second)]));
  const path = join(folder, 'size-change.ts');
  await rename(joined, path);
  return path;
}

export const H264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '20'];

/** Pairings of container and codec that every FFmpeg encodes in no time; AV1 stands beside, as fixtures. */
export const FORMATS: { name: string; encode: string[] }[] = [
  { name: 'h264.mp4', encode: H264 },
  { name: 'h264.mkv', encode: H264 },
  { name: 'h264.mov', encode: H264 },
  { name: 'h264.ts', encode: H264 },
  { name: 'h264.avi', encode: [...H264, '-bf', '0'] },
  {
    name: 'hevc.mp4',
    encode: [
      '-c:v',
      'libx265',
      '-preset',
      'ultrafast',
      '-x265-params',
      'log-level=error',
      '-pix_fmt',
      'yuv420p',
    ],
  },
  {
    name: 'hevc.ts',
    encode: [
      '-c:v',
      'libx265',
      '-preset',
      'ultrafast',
      '-x265-params',
      'log-level=error',
      '-pix_fmt',
      'yuv420p',
    ],
  },
  { name: 'vp8.webm', encode: ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8'] },
  { name: 'vp9.webm', encode: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'] },
  { name: 'vp9.mp4', encode: ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8'] },
  { name: 'mpeg4.avi', encode: ['-c:v', 'mpeg4', '-q:v', '3'] },
  { name: 'mpeg4.mp4', encode: ['-c:v', 'mpeg4', '-q:v', '3'] },
  { name: 'mjpeg.avi', encode: ['-c:v', 'mjpeg', '-q:v', '3', '-pix_fmt', 'yuvj420p'] },
];
