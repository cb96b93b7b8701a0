import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FfmpegFrameSourceOptions } from '../../src/frames/ffmpeg-frame-source.js';
import {
  damageFile,
  H264,
  makeClock,
  makeSizeChange,
  makeUneven,
  readClock,
  rotateMp4,
  runFfmpeg,
  truncateFile,
} from '../support/make-videos.js';
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
const SHAPE = { width: 320, height: 180, fps: 20, seconds: 6 };
const NOISE = ['noise=alls=30:allf=t:all_seed=7'];

beforeAll(async () => {
  await makeClock(file('whole.mp4'), { ...SHAPE, encode: [...H264, '-movflags', 'faststart'] });
  await makeClock(file('noisy.mp4'), {
    ...SHAPE,
    encode: [...H264, '-movflags', 'faststart', '-vf', NOISE[0]!],
  });
  await makeClock(file('noisy.mkv'), { ...SHAPE, encode: [...H264, '-vf', NOISE[0]!] });
  await makeClock(file('odd.mkv'), {
    width: 161,
    height: 91,
    fps: 10,
    seconds: 1,
    encode: ['-c:v', 'ffv1', '-pix_fmt', 'yuv444p'],
  });
  await makeClock(file('tiny.mkv'), {
    width: 1,
    height: 1,
    fps: 5,
    seconds: 1,
    encode: ['-c:v', 'ffv1', '-pix_fmt', 'yuv444p'],
  });
  await makeClock(file('large.mp4'), { width: 1366, height: 768, fps: 5, seconds: 1, encode: H264 });
  await makeClock(file('tall.mp4'), { width: 400, height: 1000, fps: 5, seconds: 1, encode: H264 });
  await makeClock(file('anamorphic.mp4'), {
    width: 360,
    height: 288,
    fps: 5,
    seconds: 1,
    encode: [...H264, '-aspect', '16:9'],
  });
  await makeUneven(file('uneven.mkv'), H264);
  await makeUneven(file('uneven.mp4'), [...H264, '-bf', '2', '-video_track_timescale', '90000']);
  await makeSizeChange(folder);
  await runFfmpeg('-f', 'lavfi', '-i', 'sine=d=1', '-c:a', 'aac', file('sound.mp4'));
  await runFfmpeg(
    ...[
      '-f',
      'lavfi',
      '-i',
      'sine=d=1',
      '-f',
      'lavfi',
      '-i',
      'color=c=red:s=64x64',
      '-frames:v',
      '1',
      '-c:a',
      'aac',
    ],
    ...['-c:v', 'mjpeg', '-disposition:v:0', 'attached_pic', '-pix_fmt', 'yuvj420p', file('cover.m4a')],
  );
  await runFfmpeg(
    ...[
      '-f',
      'lavfi',
      '-i',
      'sine=d=8',
      '-i',
      file('whole.mp4'),
      '-c:v',
      'copy',
      '-c:a',
      'aac',
      file('longer-sound.mp4'),
    ],
  );
  await runFfmpeg(
    '-i',
    file('whole.mp4'),
    '-c',
    'copy',
    '-copyts',
    '-output_ts_offset',
    '3600',
    file('late.ts'),
  );
}, 120_000);

describe.each(PROGRAMS)('$program', ({ ffmpegPath }) => {
  const standard = frameSource(folder, { ffmpegPath });
  const read = async (name: string, changes?: Partial<FfmpegFrameSourceOptions>) => {
    const source = changes === undefined ? standard : frameSource(folder, { ffmpegPath, ...changes });
    const stream = await openFile(source, file(name));
    const frames = await readAll(stream);
    return {
      info: stream.info,
      warnings: stream.warnings,
      frames,
      times: frames.map(({ timestampMs }) => timestampMs),
    };
  };
  const failure = (name: string) => failureOf(read(name));

  it.each(['uneven.mkv', 'uneven.mp4'])(
    'gives each frame of %s its own time although the rate varies',
    async (name) => {
      const { frames, times } = await read(name);
      expect(times).toEqual([0, 1000, 4300, 5000, 6000]);
      expect(frames.map(readClock)).toEqual([0, 1, 4, 5, 6]);
    },
  );

  it('keeps frames and times together at a rate above the one that the container announces', async () => {
    const { frames, times } = await read('uneven.mkv', { sampleFps: 10 });
    expect(times).toHaveLength(20 + 1 + 20);
    expect(frames.map(readClock)).toEqual(times.map((timestampMs) => Math.floor(timestampMs / 1000)));
  });

  it('samples slower than once a second', async () => {
    expect((await read('whole.mp4', { sampleFps: 0.5 })).times).toEqual([0, 2000, 4000]);
  });

  it('counts time from the start of the file, whatever its clock says', async () => {
    expect((await read('late.ts')).times.map((timestampMs) => Math.round(timestampMs / 1000))).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
  });

  it.each([90, 270] as const)('turns pictures that were taken at %i degrees', async (degrees) => {
    await rotateMp4(await copy('whole.mp4', 'turned.mp4'), degrees);
    const { info, frames } = await read('turned.mp4');
    expect([info.width, info.height, frames[0]!.width, frames[0]!.height]).toEqual([180, 320, 180, 320]);
    // the bright left third is the top at 90 degrees and the bottom at 270
    const green = (row: number) => frames[0]!.rgb[(row * 180 + 90) * 3 + 1]!;
    expect(green(20) > green(300)).toBe(degrees === 90);
  });

  it.each([
    ['large.mp4', 640, 360],
    ['tall.mp4', 256, 640],
    ['odd.mkv', 160, 90],
    ['tiny.mkv', 2, 2],
    ['anamorphic.mp4', 512, 288],
  ])('scales %s to %i × %i', async (name, width, height) => {
    const { frames } = await read(name);
    expect(frames.map((frame) => [frame.width, frame.height, frame.rgb.length])).toEqual(
      frames.map(() => [width, height, width * height * 3]),
    );
  });

  it('brings pictures to one size when the camera changes its resolution', async () => {
    const { frames, warnings } = await read('size-change.ts');
    expect(frames.map(({ width, height, rgb }) => [width, height, rgb.length])).toEqual(
      frames.map(() => [320, 180, 320 * 180 * 3]),
    );
    expect(frames.map(readClock)).toEqual([0, 1, 0, 1]);
    expect(warnings.join()).toMatch(/picture size changes/);
  });

  it('uses what decodes of a file with a damaged part and says so', async () => {
    await damageFile(await copy('noisy.mp4', 'damaged.mp4'), 0.5, 3000);
    const { times, warnings } = await read('damaged.mp4');
    expect(times.length).toBeGreaterThanOrEqual(5);
    expect(warnings.join()).toMatch(/damaged: the decoder complained \d+ times/);
    expect(warnings.join()).not.toContain(folder);
  });

  it.each(['noisy.mp4', 'noisy.mkv'])(
    'uses the beginning of %s when its end is missing and says so',
    async (name) => {
      await truncateFile(await copy(name, `cut-${name}`), 0.6);
      const { times, warnings } = await read(`cut-${name}`);
      expect(times.length).toBeGreaterThanOrEqual(3);
      expect(times.length).toBeLessThan(6);
      expect(warnings.join()).toMatch(/may be cut off/);
    },
  );

  it('reads the pictures of a file whose sound is longer', async () => {
    const { times } = await read('longer-sound.mp4');
    expect(times).toHaveLength(6);
  });

  it('refuses an mp4 whose index was cut off', async () => {
    await makeClock(file('index-last.mp4'), { ...SHAPE, seconds: 1, encode: H264 });
    await truncateFile(file('index-last.mp4'), 0.5);
    expect(await failure('index-last.mp4')).toMatchObject({
      fault: 'unprocessable',
      code: 'not_a_video',
      field: 'video',
    });
  });

  it.each(['sound.mp4', 'cover.m4a'])('refuses %s, which has no moving pictures', async (name) => {
    expect(await failure(name)).toMatchObject({ fault: 'unprocessable', code: 'no_video', field: 'video' });
  });

  it('refuses a codec that it cannot decode', async () => {
    const content = await readFile(file('whole.mp4'));
    content.write('zzzz', content.indexOf('avc1', content.indexOf('stsd')), 'latin1');
    await writeFile(file('unknown-codec.mp4'), content);
    expect(await failure('unknown-codec.mp4')).toMatchObject({
      fault: 'unsupported',
      code: 'unsupported_codec',
      field: 'video',
    });
  });

  it.each([
    ['text', 'These are words, and no video at all.\n'.repeat(50), 'not_a_video'],
    ['nothing', '', 'not_a_video'],
    [
      'a playlist of a local file',
      `#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\n${file('whole.mp4')}\n#EXT-X-ENDLIST\n`,
      'unsupported_container',
    ],
    ['a concatenation script', `ffconcat version 1.0\nfile ${file('whole.mp4')}\n`, 'unsupported_container'],
    [
      'a picture',
      Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
      'unsupported_container',
    ],
  ])('refuses %s', async (_what, content, code) => {
    await writeFile(file('upload'), content);
    const error = await failure('upload');
    expect(error).toMatchObject({ code, field: 'video' });
    expect(error.message).not.toContain(folder);
  });
});

async function copy(from: string, to: string): Promise<string> {
  await copyFile(file(from), file(to));
  return file(to);
}
