import { readFileSync } from 'node:fs';
import { createServer, Server } from 'node:http';
import { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../support/event-stream.js';
import { clipForm, SAMPLE_CLIP, startTestServer, TestServer } from '../support/running-server.js';

const QUESTION = { question: 'Which way did I turn?', options: '["left","right","not at all"]' };

let server: TestServer;
let fileServer: Server;

beforeAll(async () => {
  server = await startTestServer({ ALLOW_PRIVATE_VIDEO_URLS: 'true' });
  fileServer = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'video/mp4' }).end(readFileSync(SAMPLE_CLIP));
  });
  await new Promise<void>((listening) => fileServer.listen(0, '127.0.0.1', listening));
});

afterAll(async () => {
  fileServer.close();
  await server.close();
});

async function ask(body: FormData | object): Promise<Record<string, never>> {
  const response = await fetch(`${server.url}/reason`, {
    method: 'POST',
    ...(body instanceof FormData
      ? { body }
      : { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
  });
  const reply = (await response.json()) as Record<string, never>;
  expect(response.status, JSON.stringify(reply)).toBe(200);
  return reply;
}

describe('a question about an uploaded video', () => {
  let reply: Record<string, never>;
  beforeAll(async () => {
    reply = await ask(clipForm({ ...QUESTION, ground_truth: 'A' }));
  });

  it('is answered with its thinking, keyframes and percepts', () => {
    expect(reply).toMatchObject({
      answer: expect.stringMatching(/^[ABC]$/),
      thinking: expect.stringContaining('Frame 1'),
      finish_reason: 'stop',
      problem: null,
      policy_version: expect.stringMatching(/^tiny@[0-9a-f]{8}$/),
      warnings: [],
    });
    const keyframes = reply.keyframes as {
      id: string;
      index: number;
      timestamp_ms: number;
      reason: string;
    }[];
    const percepts = reply.percepts as { keyframe_id: string; text: string }[];
    expect(keyframes.length).toBeGreaterThanOrEqual(4);
    expect(keyframes[0]).toMatchObject({ index: 0, timestamp_ms: 0, reason: 'first' });
    expect(percepts.map((percept) => percept.keyframe_id)).toEqual(keyframes.map(({ id }) => id));
    expect(percepts.some(({ text }) => text !== 'nothing known')).toBe(true);
  });

  it('gives the text of the chosen option', () => {
    const options = JSON.parse(QUESTION.options) as string[];
    const letter = reply.answer as string;
    expect(reply.answer_text).toBe(options[letter.charCodeAt(0) - 65]);
  });

  it('is kept as a trajectory that training can use', async () => {
    const kept = await fetch(`${server.url}/trajectories/${reply.trajectory_id as string}`);
    const trajectory = (await kept.json()) as Record<string, never>;
    expect(trajectory).toMatchObject({
      id: reply.trajectory_id,
      question: { session_id: reply.session_id, ground_truth: 'A' },
      policy_version: reply.policy_version,
      finish_reason: 'stop',
    });
    const ids = trajectory.completion_token_ids as number[];
    const logprobs = trajectory.logprobs as number[];
    expect(ids.length).toBe((reply.usage as { completion_tokens: number }).completion_tokens);
    expect(logprobs.length).toBe(ids.length);
    expect(logprobs.every((logprob) => logprob <= 0)).toBe(true);
    expect((trajectory.prompt_token_ids as number[]).length).toBe(
      (reply.usage as { prompt_tokens: number }).prompt_tokens,
    );
  });

  it('is listed newest first, a page at a time', async () => {
    const second = await ask(clipForm(QUESTION));
    const page = async (query: string) =>
      (await (await fetch(`${server.url}/trajectories?${query}`)).json()) as {
        items: { id: string }[];
        next_cursor: string | null;
      };
    const first = await page('limit=1');
    expect(first.items.map(({ id }) => id)).toEqual([second.trajectory_id]);
    const rest = await page(`limit=50&cursor=${first.next_cursor}`);
    expect(rest.items.map(({ id }) => id)).toContain(reply.trajectory_id);
    expect(rest.next_cursor).toBeNull();
  });

  it('keeps the pictures of its keyframes', async () => {
    for (const { image_url: path } of reply.keyframes as { image_url: string }[]) {
      const image = await fetch(server.url + path);
      expect(image.headers.get('content-type')).toBe('image/jpeg');
      const { width, height } = await sharp(Buffer.from(await image.arrayBuffer())).metadata();
      expect([width, height].every((side) => side > 100 && side <= 640)).toBe(true);
      const again = await fetch(server.url + path, {
        headers: { 'If-None-Match': image.headers.get('etag')! },
      });
      expect(again.status).toBe(304);
    }
  });

  it('reuses the percepts of pictures it has seen and answers the same under one seed', async () => {
    const sampled = { ...QUESTION, seed: '7', temperature: '1' };
    const [first, second] = [await ask(clipForm(sampled)), await ask(clipForm(sampled))];
    expect((second.percepts as { cached: boolean }[]).every(({ cached }) => cached)).toBe(true);
    expect([second.answer, second.thinking]).toEqual([first.answer, first.thinking]);
  });

  it('is never shown its right answer', async () => {
    const [with_, without] = [
      await ask(clipForm({ ...QUESTION, ground_truth: 'C' })),
      await ask(clipForm(QUESTION)),
    ];
    const promptOf = async (id: string) =>
      ((await (await fetch(`${server.url}/trajectories/${id}`)).json()) as { prompt: unknown }).prompt;
    expect(await promptOf(with_.trajectory_id)).toEqual(await promptOf(without.trajectory_id));
  });
});

it('answers about a video at an address', async () => {
  const { port } = fileServer.address() as AddressInfo;
  const reply = await ask({
    video_url: `http://127.0.0.1:${port}/clip.mp4`,
    question: 'How many moves forward did I make, less the moves backward?',
    answer_type: 'number',
  });
  expect(typeof reply.answer).toBe('number');
  expect((reply.keyframes as unknown[]).length).toBeGreaterThanOrEqual(4);
});

it('answers about pictures sent as frames, at the times that they carry', async () => {
  const pictures = [0, 1, 2].map((i) =>
    sharp({ create: { width: 320, height: 240, channels: 3, background: { r: 40 * i, g: 90, b: 120 } } })
      .jpeg()
      .toBuffer(),
  );
  const frames = (await Promise.all(pictures)).map(
    (jpeg) => `data:image/jpeg;base64,${jpeg.toString('base64')}`,
  );
  const reply = await ask({
    frames,
    frame_timestamps_ms: [0, 400, 900],
    ...QUESTION,
    options: ['left', 'right'],
  });
  expect(reply.seen_until_ms).toBe(900);
});

describe('a streamed answer', () => {
  it('tells keyframes and percepts as they come, then the answer piece by piece, then the whole', async () => {
    const response = await fetch(`${server.url}/reason`, {
      method: 'POST',
      body: clipForm({ ...QUESTION, stream: 'true' }),
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = await readEvents(response);
    const whole = events.at(-1)!;
    expect(whole.event).toBe('answer');
    const reply = whole.data as Record<string, never>;
    const of = (name: string) => events.filter(({ event }) => event === name).map(({ data }) => data);
    expect(of('keyframe')).toEqual(reply.keyframes);
    expect(of('percept').map((percept) => (percept as { text: string }).text)).toEqual(
      (reply.percepts as { text: string }[]).map(({ text }) => text),
    );
    const deltas = of('answer.delta') as { part: string; text: string }[];
    const joined = (part: string) =>
      deltas
        .filter((delta) => delta.part === part)
        .map(({ text }) => text)
        .join('')
        .trim();
    expect(joined('thinking')).toBe(reply.thinking);
    expect(joined('answer')).toBe(reply.answer);
    expect(deltas.length).toBeGreaterThan(3);
    const firstOf = (name: string) => events.findIndex(({ event }) => event === name);
    expect(firstOf('percept')).toBeLessThan(firstOf('answer.delta'));
  });
});

describe('the service itself', () => {
  it('says that it lives and that it is ready', async () => {
    expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'ok' });
    expect(await (await fetch(`${server.url}/readyz`)).json()).toMatchObject({ status: 'ready' });
  });

  it('documents every route', async () => {
    expect((await fetch(`${server.url}/docs`)).headers.get('content-type')).toContain('text/html');
    const { paths } = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(paths).sort()).toEqual([
      '/healthz',
      '/keyframes/{id}/image',
      '/readyz',
      '/reason',
      '/sessions',
      '/sessions/replay',
      '/sessions/{id}',
      '/trajectories',
      '/trajectories/{id}',
    ]);
  });
});
