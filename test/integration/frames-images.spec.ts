import { deflateSync } from 'node:zlib';
import sharp, { Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { encodeJpeg } from '../../src/frames/encode-jpeg.js';
import { ImageFrames, ImageFramesOptions } from '../../src/frames/image-frames.js';
import { failureOf, readAll } from '../support/make-videos-reading.js';

const OPTIONS: ImageFramesOptions = {
  maxCount: 6,
  maxBytes: 200_000,
  maxPixels: 4_000_000,
  maxWidth: 640,
  sampleFps: 2,
};
const open = (images: string[], times?: number[], changes = {}, signal = new AbortController().signal) =>
  ImageFrames.open(images, times, { ...OPTIONS, ...changes }, signal);
const readImages = async (images: string[], times?: number[], changes = {}) =>
  readAll(await open(images, times, changes));
const failure = (images: string[], times?: number[], changes = {}) =>
  failureOf(readImages(images, times, changes));

/** Left half red, right half blue. */
function picture(width: number, height: number): Sharp {
  const rgb = new Uint8Array(width * height * 3);
  for (let at = 0; at < width * height; at++) rgb[at * 3 + (at % width < width / 2 ? 0 : 2)] = 255;
  return sharp(rgb, { raw: { width, height, channels: 3 } });
}
const base64 = async (image: Sharp) => (await image.toBuffer()).toString('base64');
const good = await base64(picture(64, 48).jpeg({ quality: 95 }));

describe('pictures of a request', () => {
  it.each(['jpeg', 'png', 'webp'] as const)('reads %s, plain and as a data address', async (kind) => {
    const text = await base64(picture(64, 48)[kind]());
    const stream = await open([text, `data:image/${kind};base64,${text}`]);
    expect(stream.info).toEqual({ durationMs: 500, width: 64, height: 48, codec: kind });
    const frames = await readAll(stream);
    expect(
      frames.map(({ index, timestampMs, width, height }) => [index, timestampMs, width, height]),
    ).toEqual([
      [0, 0, 64, 48],
      [1, 500, 64, 48],
    ]);
    for (const { rgb } of frames) {
      expect(rgb.length).toBe(64 * 48 * 3);
      expect(rgb[3 * 5]! - rgb[3 * 5 + 2]!).toBeGreaterThan(200);
      expect(rgb[3 * 60 + 2]! - rgb[3 * 60]!).toBeGreaterThan(200);
    }
  });

  it('takes the times that come with them', async () => {
    expect((await readImages([good, good], [40, 1234])).map(({ timestampMs }) => timestampMs)).toEqual([
      40, 1234,
    ]);
  });

  it('turns a photograph as its EXIF orientation says', async () => {
    const text = await base64(picture(64, 48).jpeg({ quality: 95 }).withMetadata({ orientation: 6 }));
    const [frame] = await readImages([text]);
    expect([frame!.width, frame!.height]).toEqual([48, 64]);
    const pixel = (row: number) => frame!.rgb.subarray((row * 48 + 24) * 3, (row * 48 + 24) * 3 + 3);
    expect(pixel(4)[0]).toBeGreaterThan(200); // red, once left, is now on top
    expect(pixel(60)[2]).toBeGreaterThan(200);
  });

  it('scales large ones down to even sides', async () => {
    expect(
      (await readImages([await base64(picture(1366, 769).png())])).map(({ width, height }) => [
        width,
        height,
      ]),
    ).toEqual([[640, 360]]);
  });

  it.each([
    ['gray', () => picture(64, 48).toColourspace('b-w').png()],
    ['16-bit', () => picture(64, 48).toColourspace('rgb16').png()],
    ['CMYK', () => picture(64, 48).toColourspace('cmyk').jpeg()],
    ['transparent', () => picture(64, 48).ensureAlpha(0.5).png()],
    ['palette', () => picture(64, 48).png({ palette: true })],
  ])('gives RGB for a %s picture', async (_kind, make) => {
    const [frame] = await readImages([await base64(make())]);
    expect(frame!.rgb.length).toBe(64 * 48 * 3);
  });

  it('fits pictures of another size into the size of the first and says so', async () => {
    const stream = await open([good, await base64(picture(48, 64).png())]);
    const frames = await readAll(stream);
    expect(frames.map(({ width, height, rgb }) => [width, height, rgb.length])).toEqual(
      [0, 1].map(() => [64, 48, 64 * 48 * 3]),
    );
    expect([...frames[1]!.rgb.subarray(0, 3)]).toEqual([0, 0, 0]); // the bar
    expect(stream.warnings).toEqual([expect.stringMatching(/differ in size.*frames\[1\]/)]);
  });

  it('reads its frames again to a JPEG', async () => {
    const [frame] = await readImages([good]);
    const jpeg = await encodeJpeg(frame!, 90);
    expect(await sharp(jpeg).metadata()).toMatchObject({ format: 'jpeg', width: 64, height: 48 });
    expect((await encodeJpeg(frame!, 30)).length).toBeLessThan(jpeg.length);
  });
});

describe('refuses, naming the picture,', () => {
  it('a bomb, before it is decoded', async () => {
    const started = performance.now();
    expect(await failure([good, pngBomb(60_000).toString('base64')])).toMatchObject({
      ...{ fault: 'too_large', code: 'too_many_pixels', field: 'frames[1]', limit: 4_000_000 },
      message: expect.stringContaining('60000x60000') as string,
    });
    expect(performance.now() - started).toBeLessThan(1000);
  });

  it.each(['jpeg', 'png', 'webp'] as const)('a %s that is cut off', async (kind) => {
    const bytes = await noise()[kind]().toBuffer();
    expect(await failure([good, bytes.subarray(0, bytes.length / 2).toString('base64')])).toMatchObject({
      ...{ fault: 'unprocessable', code: 'invalid_image', field: 'frames[1]' },
    });
  });

  it.each([
    ['zero bytes', '', 'input', 'invalid_image'],
    ['an empty data address', 'data:image/png;base64,', 'input', 'invalid_image'],
    ['no base64', '%%%', 'input', 'invalid_image'],
    ['a data address that is not base64', 'data:image/svg+xml,<svg/>', 'input', 'invalid_image'],
    ['words', Buffer.from('not a picture').toString('base64'), 'unsupported', 'unsupported_image'],
    [
      'an SVG',
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>').toString('base64'),
      'unsupported',
      'unsupported_image',
    ],
    [
      'a head without a body',
      Buffer.from('\xff\xd8\xff\xe0', 'latin1').toString('base64'),
      'unprocessable',
      'invalid_image',
    ],
  ])('%s', async (_what, text, fault, code) => {
    expect(await failure([good, good, good, text])).toMatchObject({ fault, code, field: 'frames[3]' });
  });

  it('an animation', async () => {
    const stills = await Promise.all(
      [picture(16, 16), noise().resize(16, 16)].map((still) => still.png().toBuffer()),
    );
    const pages = await sharp(stills, { join: { animated: true } })
      .webp({ loop: 0 })
      .toBuffer();
    expect(await failure([pages.toString('base64')])).toMatchObject({
      code: 'unsupported_image',
      field: 'frames[0]',
    });
    const still = await picture(8, 8).png().toBuffer();
    const apng = Buffer.concat([
      still.subarray(0, 33),
      chunk('acTL', Buffer.alloc(8, 0)),
      still.subarray(33),
    ]);
    expect(await failure([apng.toString('base64')])).toMatchObject({
      code: 'unsupported_image',
      field: 'frames[0]',
    });
  });

  it('too many bytes, with and without decoding them', async () => {
    const bytes = await noise().png({ compressionLevel: 0 }).toBuffer();
    for (const maxBytes of [bytes.length - 1, 1024]) {
      expect(await failure([bytes.toString('base64')], undefined, { maxBytes })).toMatchObject({
        ...{ fault: 'too_large', code: 'frame_too_large', field: 'frames[0]', limit: maxBytes },
      });
    }
  });
});

describe('refuses', () => {
  it('too many pictures, and none', async () => {
    expect(await failure(Array<string>(7).fill(good))).toMatchObject({
      fault: 'too_large',
      code: 'too_many_frames',
      field: 'frames',
      limit: 6,
    });
    expect(await failure([])).toMatchObject({ fault: 'input', field: 'frames' });
  });

  it.each([
    [[0], 'frame_timestamps_ms'],
    [[0, 0], 'frame_timestamps_ms[1]'],
    [[-1, 5], 'frame_timestamps_ms[0]'],
    [[0, Number.NaN], 'frame_timestamps_ms[1]'],
  ])('the times %j of two pictures', async (times, field) => {
    expect(await failure([good, good], times)).toMatchObject({ fault: 'input', field });
  });

  it('to go on once its signal has aborted', async () => {
    const controller = new AbortController();
    const stream = await open([good, good], undefined, {}, controller.signal);
    const error = await failureOf(
      (async () => {
        for await (const frame of stream) {
          expect(frame.index).toBe(0);
          controller.abort();
        }
      })(),
    );
    expect(error.fault).toBe('cancelled');
  });
});

/** A picture that does not compress. */
function noise(): Sharp {
  let state = 1;
  const rgb = Uint8Array.from(
    { length: 128 * 128 * 3 },
    () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 24,
  );
  return sharp(rgb, { raw: { width: 128, height: 128, channels: 3 } });
}

/** A one-bit PNG of `side` × `side` zeros: a few bytes that would decode to gigabytes. */
function pngBomb(side: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header[8] = 1;
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(10_000))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A PNG chunk with its check sum (PNG specification, 5.3). */
function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  let crc = 0xffffffff;
  for (const byte of body) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE((crc ^ 0xffffffff) >>> 0, body.length + 4);
  return framed;
}
