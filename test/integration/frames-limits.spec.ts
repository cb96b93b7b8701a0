import { chmod, copyFile, mkdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { FfmpegFrameSourceOptions } from '../../src/frames/ffmpeg-frame-source.js';
import { makeExecutable } from '../../src/frames/ffmpeg-program.js';
import { H264, makeClock, runFfmpeg } from '../support/make-videos.js';
import { bytesWritten, decoders } from '../support/make-videos-processes.js';
import {
  failureOf,
  frameSource,
  openFile,
  PROGRAMS,
  readAll,
  videoFolder,
} from '../support/make-videos-reading.js';

const folder = videoFolder();
const file = (name: string) => join(folder, name);
const FRAME_BYTES = 320 * 180 * 3;

beforeAll(async () => {
  await makeClock(file('clip.mp4'), { width: 320, height: 180, fps: 10, seconds: 6, encode: H264 });
  // two hours at one frame a second
  const long = ['-f', 'lavfi', '-i', 'color=c=gray:s=320x180:r=1:d=7200', '-c:v', 'mpeg4', '-g', '250'];
  await runFfmpeg(...long, file('long.mp4'));
  // Matroska as browsers record it: no length in its head
  await runFfmpeg('-i', file('clip.mp4'), '-c', 'copy', '-f', 'matroska', '-live', '1', file('recorded.mkv'));
}, 120_000);

afterEach(() => {
  vi.unstubAllEnvs();
});

describe.each(PROGRAMS)('$program', ({ ffmpegPath }) => {
  const standard = frameSource(folder, { ffmpegPath });
  const open = (name: string, changes?: Partial<FfmpegFrameSourceOptions>, signal?: AbortSignal) =>
    openFile(
      changes === undefined ? standard : frameSource(folder, { ffmpegPath, ...changes }),
      file(name),
      signal,
    );
  const failure = (name: string, changes?: Partial<FfmpegFrameSourceOptions>, signal?: AbortSignal) =>
    failureOf(open(name, changes, signal).then(readAll));

  it('leaves no decoder behind after the last frame', async () => {
    const stream = await open('clip.mp4');
    expect(decoders()).toHaveLength(1);
    expect(await readAll(stream)).toHaveLength(6);
    expect(decoders()).toEqual([]);
  });

  it('leaves no decoder behind when the reader leaves', async () => {
    for await (const frame of await open('long.mp4')) {
      expect(frame.index).toBe(0);
      expect(decoders()).toHaveLength(1);
      break;
    }
    expect(decoders()).toEqual([]);
  });

  it('leaves no decoder behind when the reader fails', async () => {
    const stream = await open('long.mp4');
    await expect(
      (async () => {
        for await (const { index } of stream) if (index === 3) throw new Error('the reader failed');
      })(),
    ).rejects.toThrow('the reader failed');
    expect(decoders()).toEqual([]);
  });

  it('stops at once when the request goes away while frames are awaited', async () => {
    const controller = new AbortController();
    const stream = await open('long.mp4', undefined, controller.signal);
    const error = failureOf(
      (async () => {
        for await (const { index } of stream) if (index === 5) queueMicrotask(() => controller.abort());
      })(),
    );
    expect(await error).toMatchObject({ fault: 'cancelled' });
    expect(decoders()).toEqual([]);
  });

  it('stops when the request goes away before or while it opens', async () => {
    expect(await failure('clip.mp4', undefined, AbortSignal.abort())).toMatchObject({ fault: 'cancelled' });
    const controller = new AbortController();
    const error = failure('clip.mp4', undefined, controller.signal);
    controller.abort();
    expect(await error).toMatchObject({ fault: 'cancelled' });
  });

  it('stops a decoder that nobody reads from when the request goes away', async () => {
    const controller = new AbortController();
    await open('long.mp4', undefined, controller.signal);
    controller.abort();
    await vi.waitFor(() => expect(decoders()).toEqual([]));
  });

  it('gives up after the decode time', async () => {
    expect(await failure('long.mp4', { decodeTimeoutMs: 5 })).toMatchObject({
      ...{ fault: 'deadline', code: 'decode_timeout', field: 'video', limit: 5 },
    });
  });

  it('refuses a video above the length limit, announced or not', async () => {
    for (const name of ['clip.mp4', 'recorded.mkv']) {
      expect(await failure(name, { maxDurationMs: 4000 })).toMatchObject({
        ...{ fault: 'too_large', code: 'video_too_long', field: 'video', limit: 4000 },
      });
    }
    const recorded = await open('recorded.mkv');
    expect(recorded.info.durationMs).toBeNull();
    expect(await readAll(recorded)).toHaveLength(6);
  });

  it('refuses pictures above the pixel limit before it decodes them', async () => {
    expect(await failure('clip.mp4', { maxPixels: 320 * 180 - 1 })).toMatchObject({
      ...{ fault: 'too_large', code: 'too_many_pixels', field: 'video', limit: 320 * 180 - 1 },
    });
    expect(await readAll(await open('clip.mp4', { maxPixels: 320 * 192 }))).toHaveLength(6);
  });
});

it('reads two hours in constant memory, while a reader that is busy holds its own decoder back', async () => {
  const slow = await openFile(frameSource(folder, { decodeTimeoutMs: 2000 }), file('long.mp4'));
  const reader = slow[Symbol.asyncIterator]();
  expect((await reader.next()).value).toMatchObject({ index: 0 });
  const { pid } = decoders()[0]!;

  let most = 0;
  let count = 0;
  for await (const { index, rgb } of await openFile(frameSource(folder), file('long.mp4'))) {
    count++;
    if (rgb.length !== FRAME_BYTES) throw new Error(`frame ${index} has ${rgb.length} bytes`);
    if (index % 100 === 99) most = Math.max(most, process.memoryUsage().arrayBuffers);
  }
  expect(count).toBe(7200);
  expect(most).toBeLessThan(200e6); // 1.2 GB went through; what is counted mostly waits to be collected

  // all that time, more than the decode time, the other decoder was not let on
  expect(bytesWritten(pid)).toBeLessThan(6 * FRAME_BYTES);
  expect((await reader.next()).value).toMatchObject({ index: 1, timestampMs: 1000 });
  await reader.return!();
  expect(decoders()).toEqual([]);
});

describe('the file', () => {
  const failure = (path: string, changes = {}) => failureOf(openFile(frameSource(folder, changes), path));

  it('may not be above the size limit', async () => {
    const { size } = await stat(file('clip.mp4'));
    expect(await failure(file('clip.mp4'), { maxBytes: size - 1 })).toMatchObject({
      ...{ fault: 'too_large', code: 'video_too_large', field: 'video', limit: size - 1 },
    });
  });

  it('must be a file', async () => {
    expect(await failure(file('none.mp4'))).toMatchObject({ code: 'video_missing', field: 'video' });
    expect(await failure(folder)).toMatchObject({ code: 'not_a_file', field: 'video' });
  });

  it('may have any name', async () => {
    const odd = file(`-i concat:a|b %03d 'quoted' "ü".mp4`);
    await copyFile(file('clip.mp4'), odd);
    expect(await readAll(await openFile(frameSource(folder), odd))).toHaveLength(6);
  });
});

describe('the program', () => {
  it.each(['/nowhere/ffmpeg', '/bin/true', '/etc/passwd'])(
    'is refused when it is set to %s',
    async (ffmpegPath) => {
      expect(await failureOf(frameSource(folder, { ffmpegPath }).program())).toMatchObject({
        code: 'ffmpeg_missing',
        field: 'FFMPEG_PATH',
      });
    },
  );

  it('is the first on the PATH that runs', async () => {
    const bin = file('bin');
    await mkdir(bin);
    await writeFile(join(bin, 'ffmpeg'), '#!/bin/sh\necho ffmpeg version 99.1 of mine\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${file('no-such-folder')}:${bin}:${process.env.PATH}`);
    expect(await frameSource(folder).program()).toMatchObject({ path: join(bin, 'ffmpeg'), version: '99.1' });
    await writeFile(join(bin, 'ffmpeg'), '#!/bin/sh\nexit 1\n');
    expect((await frameSource(folder).program()).path).not.toBe(join(bin, 'ffmpeg'));
  });

  it('is the one of the npm package when the machine has none', async () => {
    vi.stubEnv('PATH', folder);
    expect((await frameSource(folder).program()).path).toMatch(/@ffmpeg-installer/);
  });

  it('is copied to the data folder when it may not be started where it is', async () => {
    const installed = file('installed');
    await writeFile(installed, '#!/bin/sh\necho runs\n', { mode: 0o644 });
    await chmod(installed, 0o644);
    const copy = await makeExecutable(installed, folder);
    expect(copy.startsWith(join(folder, 'bin'))).toBe(true);
    expect((await stat(copy)).mode & 0o777).toBe(0o755);
    expect(await readFile(copy, 'utf8')).toBe(await readFile(installed, 'utf8'));
    expect(await makeExecutable(installed, folder)).toBe(copy);
  });

  it('is looked for again after it was not found', async () => {
    const path = file('late-ffmpeg');
    const source = frameSource(folder, { ffmpegPath: path });
    await failureOf(source.program());
    await writeFile(path, '#!/bin/sh\necho ffmpeg version 7\n', { mode: 0o755 });
    expect(await source.program()).toMatchObject({ path });
    await rm(path);
  });

  it('is reported, and looked for again, when it disappears while in use', async () => {
    const path = file('moving-ffmpeg');
    await symlink(PROGRAMS[1]!.ffmpegPath!, path);
    const source = frameSource(folder, { ffmpegPath: path });
    expect(await readAll(await openFile(source, file('clip.mp4')))).toHaveLength(6);
    await rm(path);
    const open = () => openFile(source, file('clip.mp4'));
    expect(await failureOf(open())).toMatchObject({ code: 'ffmpeg_not_started', retryable: true });
    expect(await failureOf(open())).toMatchObject({ code: 'ffmpeg_missing' });
  });
});
