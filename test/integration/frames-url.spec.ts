import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FfmpegFrameSourceOptions } from '../../src/frames/ffmpeg-frame-source.js';
import { H264, makeClock } from '../support/make-videos.js';
import { failureOf, frameSource, readAll, videoFolder } from '../support/make-videos-reading.js';

const folder = videoFolder();
const data = join(folder, 'data');
const downloads = () => (existsSync(join(data, 'downloads')) ? readdirSync(join(data, 'downloads')) : []);
let clip: Buffer;

beforeAll(async () => {
  clip = readFileSync(
    await makeClock(join(folder, 'clip.mp4'), { width: 64, height: 48, fps: 5, seconds: 3, encode: H264 }),
  );
});

async function serve(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  host = '127.0.0.1',
): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

const serveClip = () => serve((_request, response) => response.end(clip));
const redirectTo = (location: string) =>
  serve((_request, response) => response.writeHead(302, { location }).end('elsewhere'));

function open(
  url: string,
  changes: Partial<FfmpegFrameSourceOptions> = {},
  signal = new AbortController().signal,
) {
  return frameSource(data, { allowPrivateAddresses: true, ...changes }).open({ kind: 'url', url }, signal);
}
async function failure(url: string, changes: Partial<FfmpegFrameSourceOptions> = {}, signal?: AbortSignal) {
  const error = await failureOf(open(url, changes, signal).then(readAll));
  expect(downloads()).toEqual([]);
  return error;
}

describe('a video by its address', () => {
  it('is downloaded, read and removed', async () => {
    const stream = await open(`${await serveClip()}/clip.mp4?token=secret`);
    expect(downloads()).toHaveLength(1);
    expect((await readAll(stream)).map(({ timestampMs }) => timestampMs)).toEqual([0, 1000, 2000]);
    expect(downloads()).toEqual([]);
  });

  it('is removed when the reader leaves early', async () => {
    for await (const frame of await open(await serveClip())) {
      expect(frame.index).toBe(0);
      break;
    }
    expect(downloads()).toEqual([]);
  });

  it('is removed when the request goes away before a frame was read', async () => {
    const controller = new AbortController();
    const stream = await open(await serveClip(), {}, controller.signal);
    controller.abort();
    expect((await failureOf(readAll(stream))).fault).toBe('cancelled');
    expect(downloads()).toEqual([]);
  });

  it('is followed through redirects, relative ones too', async () => {
    const target = await serveClip();
    const first = await serve((request, response) => {
      const location = request.url === '/start' ? 'next/clip' : `${target}/clip.mp4`;
      response.writeHead(request.url === '/start' ? 301 : 307, { location }).end();
    });
    expect(await readAll(await open(`${first}/start`))).toHaveLength(3);
  });

  it('is fetched from the very address that was checked', async () => {
    const { port } = new URL(await serveClip());
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return [asked.length === 1 ? '127.0.0.1' : '127.0.0.9'];
    };
    const stream = await open(`http://pinned.test:${port}/`, { resolve });
    expect(await readAll(stream)).toHaveLength(3);
    expect(asked).toEqual(['pinned.test']);
  });

  it('is named in the errors about its content', async () => {
    const page = await serve((_request, response) => response.end('<html>please sign in</html>'));
    expect(await failure(page)).toMatchObject({
      fault: 'unprocessable',
      code: 'not_a_video',
      field: 'video_url',
    });
  });
});

describe('refuses', () => {
  it.each([
    'not an address',
    'file:///etc/passwd',
    'ftp://example.org/a.mp4',
    'data:video/mp4;base64,AAAA',
    'concat:a|b',
    'http://user:pw@127.0.0.1/',
  ])('the address %s', async (url) => {
    const error = await failure(url);
    expect(error).toMatchObject({ fault: 'input', code: 'invalid_video_url', field: 'video_url' });
    expect(error.message).not.toContain('pw');
  });

  it.each([
    ...[
      'http://127.0.0.1:9/',
      'http://127.1:9/',
      'http://2130706433:9/',
      'http://0x7f.0.0.1:9/',
      'http://[::1]:9/',
      'http://[::ffff:127.0.0.1]:9/',
    ],
    ...[
      'http://169.254.169.254/latest/meta-data/',
      'http://10.0.0.1/',
      'http://0.0.0.0:9/',
      'http://[fd00::1]/',
      'http://localhost:9/',
    ],
  ])('the private address %s', async (url) => {
    expect(await failure(url, { allowPrivateAddresses: false })).toMatchObject({
      fault: 'input',
      code: 'private_video_url',
      field: 'video_url',
    });
  });

  it('a name that has a private address among its public ones', async () => {
    const resolve = async () => ['8.8.8.8', '192.168.0.7'];
    expect(await failure('http://mixed.test/', { allowPrivateAddresses: false, resolve })).toMatchObject({
      code: 'private_video_url',
    });
  });

  it('a redirect to a private address', async () => {
    // this machine's first loopback address stands for the Internet
    const changes = { allowPrivateAddresses: false, isPublic: (address: string) => address === '127.0.0.1' };
    for (const target of ['http://127.0.0.2/', 'http://[::1]/', 'http://169.254.169.254/latest/']) {
      expect(await failure(await redirectTo(target), changes)).toMatchObject({
        code: 'private_video_url',
        field: 'video_url',
      });
    }
  });

  it('a redirect to a file', async () => {
    expect(await failure(await redirectTo('file:///etc/passwd'))).toMatchObject({
      fault: 'input',
      code: 'invalid_video_url',
    });
  });

  it('more than five redirects', async () => {
    const round = await serve((_request, response) => response.writeHead(302, { location: '/again' }).end());
    expect(await failure(round)).toMatchObject({ fault: 'input', code: 'too_many_redirects' });
  });

  it('a file above the limit, announced or not', async () => {
    const announced = await serve((_request, response) =>
      response.writeHead(200, { 'content-length': '5000' }).flushHeaders(),
    );
    const endless = await serve((_request, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(1000)));
      };
      response.on('drain', more);
      more();
    });
    for (const url of [announced, endless]) {
      expect(await failure(url, { maxBytes: 4000 })).toMatchObject({
        fault: 'too_large',
        code: 'video_too_large',
        field: 'video_url',
        limit: 4000,
      });
    }
  });
});

describe('says whose fault it is when', () => {
  it.each([
    [404, 'unprocessable', false],
    [403, 'unprocessable', false],
    [500, 'upstream', true],
    [429, 'upstream', true],
  ])('the server answers %i', async (status, fault, retryable) => {
    const url = await serve((_request, response) => response.writeHead(status).end('no'));
    expect(await failure(url)).toMatchObject({
      fault,
      retryable,
      code: 'video_url_failed',
      field: 'video_url',
    });
  });

  it('nobody listens, or the name is unknown', async () => {
    expect(await failure('http://127.0.0.1:9/')).toMatchObject({
      fault: 'upstream',
      code: 'video_url_failed',
      field: 'video_url',
    });
    const resolve = () => Promise.reject(new Error('ENOTFOUND'));
    expect(await failure('http://unknown.test/', { resolve })).toMatchObject({
      fault: 'unprocessable',
      code: 'video_url_failed',
    });
  });

  it('the server stops in the middle', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': String(clip.length) });
      response.write(clip.subarray(0, 500), () => response.destroy());
    });
    expect(await failure(url)).toMatchObject({ fault: 'upstream', code: 'video_url_failed' });
  });

  it('the server never answers, or never ends', async () => {
    const silent = await serve(() => undefined);
    const slow = await serve((_request, response) => response.writeHead(200).write(clip.subarray(0, 500)));
    for (const url of [silent, slow]) {
      expect(await failure(url, { downloadTimeoutMs: 150 })).toMatchObject({
        fault: 'deadline',
        code: 'download_timeout',
        field: 'video_url',
      });
    }
  });

  it('the request goes away during the download', async () => {
    const controller = new AbortController();
    const url = await serve((_request, response) => {
      response.writeHead(200).write(clip.subarray(0, 500), () => controller.abort());
    });
    expect((await failure(url, {}, controller.signal)).fault).toBe('cancelled');
  });
});
