import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encodeFrame } from '../../clients/typescript/src/index.js';
import { CameraFrame, clipFrames } from '../support/clip-frames.js';
import { RawStream } from '../support/raw-stream.js';
import { startTestServer, TestServer } from '../support/running-server.js';

let server: TestServer;
let frames: CameraFrame[];
beforeAll(async () => {
  [server, frames] = await Promise.all([
    startTestServer({ STREAM_FRAME_MAX_BYTES: '200000', STREAM_FRAME_MAX_PIXELS: '1000000' }),
    clipFrames('room', 1),
  ]);
});
afterAll(() => server.close());

/** A PNG of a few hundred bytes that says it holds so many pixels. */
function pngBomb(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const out = Buffer.alloc(body.length + 8);
    out.writeUInt32BE(data.length, 0);
    body.copy(out, 4);
    out.writeUInt32BE(crc32(body), body.length + 4);
    return out;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.alloc(4096))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function crc32(bytes: Buffer): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function header(change: (view: DataView) => void): Uint8Array {
  const message = encodeFrame({ sequence: 5, timestampUs: 5e6 }, new Uint8Array(frames[0]!.jpeg));
  change(new DataView(message.buffer));
  return message;
}

describe('a frame that cannot be used costs itself only', () => {
  const good = () => frames[0]!.jpeg;
  /** Each is sent as frame 5, after frame 4 at 4 s. */
  const pictures: [name: string, make: () => Buffer | Promise<Buffer>, error: object][] = [
    ['of zero bytes', () => Buffer.alloc(0), { code: 'frame_empty', status: 400 }],
    [
      'of a truncated JPEG',
      () => good().subarray(0, good().length / 2),
      { code: 'invalid_image', status: 422 },
    ],
    ['of noise', () => Buffer.from('no picture at all'), { code: 'unsupported_image', status: 415 }],
    ['of a GIF', () => sharp(good()).gif().toBuffer(), { code: 'unsupported_image' }],
    ['of a JPEG head only', () => good().subarray(0, 20), { code: 'invalid_image' }],
    [
      'of a PNG bomb',
      () => pngBomb(60_000, 60_000),
      { code: 'too_many_pixels', status: 413, limit: 1_000_000 },
    ],
    [
      'of too many pixels',
      () => sharp(good()).resize(1600, 900).jpeg().toBuffer(),
      { code: 'too_many_pixels', limit: 1_000_000 },
    ],
    [
      'of too many bytes',
      () => Buffer.alloc(200_001),
      { code: 'frame_too_large', status: 413, limit: 200_000 },
    ],
    [
      'of another shape',
      () => sharp(good()).resize(360, 640, { fit: 'fill' }).jpeg().toBuffer(),
      { code: 'frame_size_changed', limit: '640×360' },
    ],
  ];

  it.each(pictures)('%s', async (_name, make, error) => {
    const stream = await RawStream.open(server.url);
    stream.frame(4, good(), 4e6);
    await stream.next('ack');
    stream.frame(5, await make(), 5e6);
    expect(await stream.next('error')).toMatchObject({ sequence: 5, ...error });
    stream.frame(6, frames[1]!.jpeg, 6e6);
    expect(await stream.next('ack', ({ sequence }) => sequence === 6)).toMatchObject({ timestamp_ms: 2000 });
    stream.send('session.close');
    expect(await stream.next('session.closed')).toMatchObject({ frame_count: 2 });
    expect(await stream.closed).toMatchObject({ code: 1000 });
  });

  it.each([
    ['another size of the same shape', (jpeg: Buffer) => sharp(jpeg).resize(320, 180).jpeg()],
    ['a PNG', (jpeg: Buffer) => sharp(jpeg).resize(320, 180).png()],
    ['a WebP', (jpeg: Buffer) => sharp(jpeg).webp()],
  ])('takes %s', async (_name, change) => {
    const stream = await RawStream.open(server.url);
    stream.frame(0, good());
    stream.frame(1, await change(good()).toBuffer());
    const ack = await stream.next('ack', ({ sequence }) => sequence === 1);
    expect(ack.kept).toBe(false);
    expect(ack.overlap_ratio).toBeGreaterThan(0.9);
    stream.socket.close();
  });

  const orders: [name: string, sequence: number, timestampUs: number, code: string, field: string][] = [
    ['sent again', 4, 4e6, 'frame_repeated', 'sequence'],
    ['sent again later', 2, 9e6, 'frame_repeated', 'sequence'],
    ['out of order', 3, 9e6, 'frame_out_of_order', 'sequence'],
    ['of an earlier time', 5, 3e6, 'frame_time_backwards', 'timestamp'],
    ['of the same time', 5, 4e6, 'frame_time_backwards', 'timestamp'],
    ['of a time 25 days later', 5, 25 * 86_400e6, 'frame_time_too_late', 'timestamp'],
  ];
  it.each(orders)('%s', async (_name, sequence, timestampUs, code, field) => {
    const stream = await RawStream.open(server.url);
    stream.frame(2, good(), 2e6);
    stream.frame(4, frames[1]!.jpeg, 4e6);
    stream.frame(sequence, frames[2]!.jpeg, timestampUs);
    expect(await stream.next('error')).toMatchObject({ sequence, code, field, status: 400 });
    stream.frame(6, frames[2]!.jpeg, 6e6);
    await stream.next('ack', (ack) => ack.sequence === 6);
    stream.socket.close();
  });

  const headers: [name: string, field: string, make: () => Uint8Array][] = [
    ['too short', 'length', () => new Uint8Array(23)],
    ['empty', 'length', () => new Uint8Array(0)],
    ['of version 2', 'version', () => header((view) => view.setUint8(0, 2))],
    ['with unknown flags', 'flags', () => header((view) => view.setUint8(1, 4))],
    ['of another length', 'header_length', () => header((view) => view.setUint16(2, 32))],
    ['with reserved bytes', 'reserved', () => header((view) => view.setUint32(4, 1))],
    ['with a sequence of 2^53', 'sequence', () => header((view) => view.setBigUint64(8, 2n ** 53n))],
    ['with a time of 2^64 - 1', 'timestamp', () => header((view) => view.setBigUint64(16, 2n ** 64n - 1n))],
  ];
  it.each(headers)('with a header %s', async (_name, field, make) => {
    const stream = await RawStream.open(server.url);
    stream.socket.send(make());
    expect(await stream.next('error')).toMatchObject({ code: 'frame_header_invalid', field });
    stream.frame(0, good());
    await stream.next('ack');
    stream.socket.close();
  });
});

describe('a message that cannot be read', () => {
  const messages: [name: string, message: string, error: object][] = [
    ['is not JSON', 'hello', { code: 'message_malformed' }],
    ['is null', 'null', { code: 'message_malformed' }],
    ['has no event', '{"data":{}}', { code: 'message_malformed', field: 'event' }],
    [
      'has an unknown event',
      '{"event":"fly"}',
      { code: 'message_malformed', detail: expect.stringContaining('"fly"') },
    ],
    [
      'is too long',
      `{"event":"ping","data":{"nonce":"${'x'.repeat(70_000)}"}}`,
      { code: 'message_malformed' },
    ],
    ['has data that is no object', '{"event":"ask","data":7}', { code: 'invalid_body' }],
    [
      'lacks a field',
      '{"event":"ask","data":{"question_id":"q"}}',
      { code: 'invalid_field', field: 'question', question_id: 'q' },
    ],
    [
      'has a field too many',
      '{"event":"cancel","data":{"question_id":"q","now":1}}',
      { code: 'invalid_field', field: 'now' },
    ],
    [
      'has a wrong mode',
      '{"event":"ask","data":{"question_id":"q","question":"?","mode":"later"}}',
      { code: 'invalid_field', field: 'mode' },
    ],
    [
      'cancels nothing',
      '{"event":"cancel","data":{"question_id":"q"}}',
      { code: 'no_such_question', status: 404 },
    ],
    ['opens again', '{"event":"session.open"}', { code: 'already_open', status: 409 }],
  ];
  it.each(messages)('because it %s', async (_name, message, error) => {
    const stream = await RawStream.open(server.url);
    stream.socket.send(message);
    expect(await stream.next('error')).toMatchObject(error);
    stream.send('ping', { nonce: 'n' });
    expect(await stream.next('pong')).toEqual({ nonce: 'n' });
    stream.socket.close();
  });

  it('because there is no session yet', async () => {
    const stream = await RawStream.connect(server.url);
    stream.frame(0, frames[0]!.jpeg);
    expect(await stream.next('error')).toMatchObject({ code: 'no_session' });
    stream.send('session.open');
    await stream.next('session.ready');
    stream.socket.close();
  });

  it.each([
    ['session.resume', '0193e0a0-0000-7000-8000-000000000000'],
    ['session.observe', '0193e0a0-0000-7000-8000-000000000000'],
  ])('because %s names a session that there is not', async (event, sessionId) => {
    const stream = await RawStream.connect(server.url);
    stream.send(event, { session_id: sessionId });
    expect(await stream.next('error')).toMatchObject({ code: 'no_such_session', field: 'session_id' });
    expect(await stream.closed).toEqual({ code: 4404, reason: 'no_such_session' });
  });

  it('and ends the connection after a hundred of them', async () => {
    const stream = await RawStream.open(server.url);
    for (let i = 0; i < 100; i++) stream.socket.send('nonsense');
    expect(await stream.closed).toEqual({ code: 4400, reason: 'too_many_errors' });
    expect(stream.all('error')).toHaveLength(101);
  });

  it('when it is far too large', async () => {
    const stream = await RawStream.open(server.url);
    stream.socket.send(Buffer.alloc(400_001));
    expect((await stream.closed).code).toBe(1009);
    const after = await RawStream.open(server.url);
    after.socket.close();
  });
});
