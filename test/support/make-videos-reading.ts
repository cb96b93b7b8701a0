import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ffmpegInstaller from '@ffmpeg-installer/ffmpeg';
import { afterAll } from 'vitest';
import { SaccadeError } from '../../src/errors/saccade-error.js';
import { FfmpegFrameSource, FfmpegFrameSourceOptions } from '../../src/frames/ffmpeg-frame-source.js';
import { FrameStream } from '../../src/frames/frame-source.js';
import { Frame } from '../../src/frames/frame.js';

/** The 2018 build that npm installs, and the system's own. */
export const PROGRAMS: { program: string; ffmpegPath?: string }[] = [
  { program: 'the system FFmpeg', ffmpegPath: undefined },
  { program: 'the FFmpeg of the npm package', ffmpegPath: ffmpegInstaller.path },
];

/** A folder for the videos of one file of tests. */
export function videoFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'saccade-videos-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function frameSource(
  dataDir: string,
  changes: Partial<FfmpegFrameSourceOptions> = {},
): FfmpegFrameSource {
  return new FfmpegFrameSource({
    dataDir,
    sampleFps: 1,
    maxWidth: 640,
    maxBytes: 64 * 1024 * 1024,
    maxDurationMs: 7_200_000,
    maxPixels: 33_177_600,
    decodeTimeoutMs: 30_000,
    downloadTimeoutMs: 10_000,
    allowPrivateAddresses: false,
    threads: 1,
    ...changes,
  });
}

export async function openFile(
  source: FfmpegFrameSource,
  path: string,
  signal = new AbortController().signal,
): Promise<FrameStream> {
  return source.open({ kind: 'file', path }, signal);
}

export async function readAll(stream: FrameStream): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of stream) frames.push(frame);
  return frames;
}

/** What reading the whole video fails with. */
export async function failureOf(work: Promise<unknown>): Promise<SaccadeError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof SaccadeError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
