import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clipForm, SAMPLE_CLIP, startTestServer, TestServer } from '../support/running-server.js';

const LIMITS = {
  VIDEO_MAX_BYTES: '4000000',
  VIDEO_MAX_SECONDS: '60',
  JSON_MAX_BYTES: '200000',
  FRAMES_MAX_COUNT: '3',
};
const QUESTION = { question: 'Which way did I turn?', options: '["left","right"]' };

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer(LIMITS);
});
afterAll(() => server.close());

afterEach(async () => {
  expect(await server.countRows(), 'rows left by a refused question').toEqual({
    sessions: 0,
    keyframes: 0,
    questions: 0,
    trajectories: 0,
  });
});

interface Reply {
  status: number;
  type: string | null;
  problem: Record<string, unknown>;
}

async function post(body: FormData | string, type?: string): Promise<Reply> {
  const response = await fetch(`${server.url}/reason`, {
    method: 'POST',
    body,
    headers: type === undefined ? {} : { 'Content-Type': type },
  });
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    problem: (await response.json()) as Record<string, unknown>,
  };
}
const postJson = (body: unknown) => post(JSON.stringify(body), 'application/json');

function expectProblem({ status, type, problem }: Reply, expected: Record<string, unknown>): void {
  expect(problem).toMatchObject(expected);
  expect(type).toContain('application/problem+json');
  expect(problem).toMatchObject({
    status,
    type: `urn:saccade:problem:${problem.code as string}`,
    title: expect.any(String),
    detail: expect.stringMatching(/\.$/),
    request_id: expect.any(String),
  });
}

describe('what is refused before the video is read', () => {
  it('a question that is missing', async () => {
    expectProblem(await post(clipForm({ options: '["left","right"]' })), { status: 400, field: 'question' });
  });

  it('an empty question', async () => {
    expectProblem(await post(clipForm({ question: '' })), { status: 400, field: 'question' });
  });

  it('fewer than two options', async () => {
    const reply = await post(clipForm({ question: 'Which way?', options: '["left"]' }));
    expectProblem(reply, { status: 400, field: 'options' });
    expect(reply.problem.detail).toMatch(/at least 2/);
  });

  it('a choice without options', async () => {
    const reply = await post(clipForm({ question: 'Which way?', answer_type: 'choice' }));
    expectProblem(reply, { status: 400, code: 'options_missing', field: 'options', limit: 2 });
  });

  it('options that a number does not take', async () => {
    expectProblem(await post(clipForm({ ...QUESTION, answer_type: 'number' })), {
      status: 400,
      code: 'options_unexpected',
    });
  });

  it('a field that it does not know, by name', async () => {
    expectProblem(await post(clipForm({ ...QUESTION, colour: 'red' })), { status: 400, field: 'colour' });
  });

  it('a temperature out of range', async () => {
    expectProblem(await post(clipForm({ ...QUESTION, temperature: '3' })), {
      status: 400,
      field: 'temperature',
    });
  });

  it('no video, and two videos', async () => {
    expectProblem(await postJson({ question: 'Where am I?' }), { status: 400, code: 'no_video_given' });
    expectProblem(
      await postJson({ question: 'Where am I?', video_url: 'http://example.org/a.mp4', frames: ['AAAA'] }),
      { status: 400, code: 'several_videos_given' },
    );
  });

  it('a body that is not JSON, and one that is no object', async () => {
    expectProblem(await post('{"question":', 'application/json'), { status: 400, code: 'invalid_json' });
    expectProblem(await post('[1]', 'application/json'), { status: 400, code: 'invalid_body' });
  });

  it('a form without a boundary', async () => {
    expectProblem(await post('x', 'multipart/form-data'), { status: 400, code: 'invalid_form' });
  });

  it('a file under another name', async () => {
    const form = clipForm(QUESTION);
    form.append('movie', new Blob(['x']), 'x.mp4');
    const reply = await post(form);
    expect(reply.status).toBe(400);
  });

  it('JSON larger than allowed, with the limit', async () => {
    const reply = await postJson({ question: 'x'.repeat(250_000) });
    expectProblem(reply, { status: 413, code: 'body_too_large', limit: 200_000 });
  });

  it('more frames than allowed', async () => {
    const jpeg = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
      .jpeg()
      .toBuffer();
    const frames = Array.from({ length: 4 }, () => jpeg.toString('base64'));
    const reply = await postJson({ question: 'Where am I?', frames });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expectProblem(reply, { field: 'frames', limit: 3 });
  });
});

describe('videos that cannot be used', () => {
  it('a file that is not a video', async () => {
    const reply = await post(clipForm(QUESTION, Buffer.from('this is a text and no video at all')));
    expectProblem(reply, { status: 422, field: 'video' });
  });

  it('a video larger than allowed, with the limit', async () => {
    const reply = await post(clipForm(QUESTION, Buffer.alloc(4_500_000)));
    expectProblem(reply, { status: 413, code: 'video_too_large', field: 'video', limit: 4_000_000 });
  });

  it('a file that only claims to be mp4', async () => {
    const clip = Buffer.from(readFileSync(SAMPLE_CLIP));
    clip.fill(0, 64);
    expectProblem(await post(clipForm(QUESTION, clip)), { status: 422 });
  });

  it.each([
    ['file:///etc/passwd', 400],
    ['ftp://example.org/clip.mp4', 400],
    ['not an address', 400],
  ])('an address of another kind: %s', async (url, status) => {
    expectProblem(await postJson({ question: 'Where am I?', video_url: url }), {
      status,
      field: 'video_url',
    });
  });

  it.each([
    'http://127.0.0.1:9/clip.mp4',
    'http://[::1]:9/clip.mp4',
    'http://169.254.169.254/latest/meta-data',
  ])('a private address: %s', async (url) => {
    const reply = await postJson({ question: 'Where am I?', video_url: url });
    expectProblem(reply, { field: 'video_url' });
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(reply.status).toBeLessThan(500);
  });
});

describe('what is not there', () => {
  const get = async (path: string): Promise<Reply> => {
    const response = await fetch(server.url + path);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      problem: (await response.json()) as Record<string, unknown>,
    };
  };

  it.each([
    '/trajectories/0193e0a0-0000-7000-8000-000000000000',
    '/keyframes/0193e0a0-0000-7000-8000-000000000000/image',
    '/nowhere',
  ])('%s is 404', async (path) => {
    expectProblem(await get(path), { status: 404 });
  });

  it('an id that is none is 400', async () => {
    expectProblem(await get('/trajectories/17'), { status: 400, field: 'id' });
  });

  it('a page larger than allowed is 400', async () => {
    expectProblem(await get('/trajectories?limit=100000'), { status: 400, field: 'limit' });
  });
});

it('a client that breaks off its upload leaves no file behind', async () => {
  const { port, hostname } = new URL(server.url);
  await new Promise<void>((closed) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        'POST /reason HTTP/1.1\r\nHost: x\r\nContent-Length: 900000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n' +
          '--b\r\nContent-Disposition: form-data; name="video"; filename="a.mp4"\r\n\r\nabc',
        () => socket.destroy(),
      );
    });
    socket.on('close', () => closed());
  });
  const { readdir } = await import('node:fs/promises');
  await expect.poll(() => readdir(`${server.dataDir}/uploads`), { timeout: 10_000 }).toEqual([]);
});
