import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { FORMATS, makeClock, readClock } from '../support/make-videos.js';
import { frameSource, openFile, PROGRAMS, readAll, videoFolder } from '../support/make-videos-reading.js';

const folder = videoFolder();
/** Encoded beforehand: old builds take minutes for it. Made by make-av1.sh beside them. */
const AV1 = [{ name: 'av1.mp4' }, { name: 'av1.webm' }];
const SHAPE = { width: 162, height: 90, fps: 20, seconds: 3 };

beforeAll(async () => {
  for (const { name, encode } of FORMATS) await makeClock(join(folder, name), { ...SHAPE, encode });
  for (const { name } of AV1)
    await copyFile(new URL(`../fixtures/frames/${name}`, import.meta.url), join(folder, name));
}, 120_000);

describe.each(PROGRAMS)('$program', ({ ffmpegPath }) => {
  const source = frameSource(folder, { ffmpegPath });

  it.each([...FORMATS, ...AV1])(
    'reads $name at one frame a second, each showing its own time',
    async ({ name }) => {
      const stream = await openFile(source, join(folder, name));
      const frames = await readAll(stream);
      expect(frames.map(({ timestampMs }) => Math.round(timestampMs / 100))).toEqual([0, 10, 20]);
      expect(frames.map(readClock)).toEqual([0, 1, 2]);
      expect(frames.map(({ index, width, height, rgb }) => [index, width, height, rgb.length])).toEqual(
        [0, 1, 2].map((index) => [index, 162, 90, 162 * 90 * 3]),
      );
      expect(stream.info).toMatchObject({ codec: name.split('.')[0], width: 162, height: 90 });
      expect(Math.abs(stream.info.durationMs! - 3000)).toBeLessThan(200);
      expect(stream.warnings).toEqual([]);
    },
  );
});
