import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keyframe, Percept, SaccadeStream } from '../../clients/typescript/src/index.js';
import { CameraFrame, clipFrames } from '../support/clip-frames.js';
import { clipForm, SAMPLE_CLIP, startTestServer, TestServer } from '../support/running-server.js';

const TOKEN = 'watch-with-me';

let server: TestServer;
let frames: CameraFrame[];
beforeAll(async () => {
  [server, frames] = await Promise.all([startTestServer({ STREAM_OBSERVER_TOKEN: TOKEN }), clipFrames()]);
});
afterAll(() => server.close());

const streamUrl = () => `${server.url.replace('http', 'ws')}/stream`;
const observe = (id: string, token?: string, thumbnails = true) =>
  SaccadeStream.observe(streamUrl(), id, { thumbnails, token });

/** Keyframes and percepts of a stream, until its session ends. */
async function watched(stream: SaccadeStream) {
  const seen = { keyframes: [] as Keyframe[], percepts: [] as Percept[], answers: [] as string[] };
  for await (const { event, data } of stream.events()) {
    if (event === 'keyframe') seen.keyframes.push(data);
    if (event === 'percept') seen.percepts.push(data);
    if (event === 'answer') seen.answers.push(data.trajectory_id);
  }
  return seen;
}

describe('an observer', () => {
  it('sees what was before and what comes, without a gap, with thumbnails', async () => {
    const stream = await SaccadeStream.open(streamUrl());
    const own = watched(stream);
    for (const { jpeg, timestampUs } of frames.slice(0, 14))
      await (
        await stream.sendFrame(jpeg, { timestampUs })
      ).outcome;
    await stream.ask('Which way did I turn?').answer;
    const late = await observe(stream.sessionId, TOKEN);
    const plain = await observe(stream.sessionId, TOKEN, false);
    const [lateSeen, plainSeen] = [watched(late), watched(plain)];
    for (const { jpeg, timestampUs } of frames.slice(14)) await stream.sendFrame(jpeg, { timestampUs });
    const { trajectory_id: answered } = await stream.ask('Which way did I turn?').answer;
    await stream.close();
    const [mine, seen, bare] = await Promise.all([own, lateSeen, plainSeen]);
    expect(seen.keyframes.map(({ id }) => id)).toEqual(mine.keyframes.map(({ id }) => id));
    expect(seen.percepts.map(({ keyframe_id }) => keyframe_id)).toEqual(mine.keyframes.map(({ id }) => id));
    expect(seen.answers).toEqual([answered]);
    for (const { thumbnail } of seen.keyframes) expect(thumbnail).toMatch(/^data:image\/jpeg;base64,\/9j\//);
    expect(mine.keyframes[0]!.thumbnail).toBeUndefined();
    expect(bare.keyframes.map(({ thumbnail }) => thumbnail)).toEqual(bare.keyframes.map(() => undefined));
  });

  it('needs the token, and may only watch', async () => {
    const stream = await SaccadeStream.open(streamUrl());
    for (const token of [undefined, 'another-token'])
      await expect(observe(stream.sessionId, token)).rejects.toMatchObject({
        code: 'not_allowed',
        field: 'token',
      });
    const watcher = await observe(stream.sessionId, TOKEN);
    const { outcome } = await watcher.sendFrame(frames[0]!.jpeg);
    const refused = new Promise((resolve) => watcher.on('error', resolve));
    expect(await refused).toMatchObject({ code: 'not_allowed' });
    await expect(watcher.ask('Where?').answer).rejects.toMatchObject({ code: 'not_allowed' });
    watcher.disconnect();
    await expect(outcome).rejects.toMatchObject({ code: 'disconnected' });
    await stream.close();
  });
});

describe('a replay', () => {
  it('plays a video into a session that can be observed and asked', async () => {
    const started = await fetch(`${server.url}/sessions/replay`, {
      method: 'POST',
      body: clipForm({ speed: '20' }),
    });
    expect(started.status).toBe(202);
    const { session_id: id, speed } = (await started.json()) as { session_id: string; speed: number };
    expect(speed).toBe(20);
    const seen = await watched(await observe(id, TOKEN));
    expect(seen.keyframes.map(({ index }) => index)).toEqual(seen.keyframes.map((_, i) => i));
    expect(seen.keyframes.at(-1)).toMatchObject({ timestamp_ms: 13_000 });
    const answer = (await (
      await fetch(`${server.url}/reason`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          question: 'Which way did I turn?',
          options: ['left', 'right'],
          session_id: id,
        }),
      })
    ).json()) as object;
    expect(answer).toMatchObject({ session_id: id, seen_until_ms: seen.keyframes.at(-1)!.timestamp_ms });
    const session = (await (await fetch(`${server.url}/sessions/${id}`)).json()) as object;
    expect(session).toMatchObject({ source: 'replay', state: 'finished', frame_count: 14 });
  });

  it.each([
    ['no video', () => ({ body: new FormData() }), 400, 'no_video_given'],
    ['a wrong speed', () => ({ body: clipForm({ speed: '0' }) }), 400, 'invalid_field'],
    [
      'a file that is no video',
      () => ({ body: clipForm({}, Buffer.from('not a video')) }),
      422,
      'not_a_video',
    ],
    [
      'half a video',
      () => ({ body: clipForm({}, readFileSync(SAMPLE_CLIP).subarray(0, 3000)) }),
      422,
      'no_video',
    ],
  ])('refuses %s', async (_name, init, status, code) => {
    const response = await fetch(`${server.url}/sessions/replay`, { method: 'POST', ...init() });
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code]);
  });
});
