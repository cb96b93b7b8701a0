import { once } from 'node:events';
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { loadSettings } from '../../src/config/load-settings.js';
import { RunningServer, startServer } from '../../src/server.js';
import { SaccadeStream } from '../../clients/typescript/src/index.js';
import { CameraFrame, clipFrames } from '../support/clip-frames.js';
import { RawStream } from '../support/raw-stream.js';
import { servingUrl, startProcess } from '../support/server-process.js';
import { folderForFile, temporaryFolder } from '../support/temporary-folder.js';
import { BreakableProxy } from '../support/breakable-proxy.js';

const TURN = { question: 'Which way did I turn in all?', options: ['left', 'right', 'not at all'] };
const dataDir = folderForFile();

let frames: CameraFrame[];
let server: RunningServer;
let proxy: BreakableProxy;

const start = (variables: Record<string, string> = {}) =>
  startServer(
    loadSettings({
      PORT: '0',
      LOG_LEVEL: 'silent',
      LM_THREADS: '1',
      SACCADE_DATA_DIR: dataDir,
      ...variables,
    }),
  );

beforeAll(async () => {
  frames = (await clipFrames()).slice(0, 24);
});
beforeEach(async () => {
  server = await start();
  proxy = await BreakableProxy.start(() => new URL(server.url).port);
});
afterEach(async () => {
  await proxy.stop();
  await server.close();
});

const streamUrl = (url: string) => `${url.replace('http', 'ws')}/stream`;

interface Told {
  frame_count: number;
  keyframes: { index: number; timestamp_ms: number; reason: string }[];
  percepts: { text: string; actions: unknown[] }[];
}

async function told(sessionId: string): Promise<Told> {
  return (await (await fetch(`${server.url}/sessions/${sessionId}`)).json()) as Told;
}

/** What an unbroken stream of the same frames leaves behind. */
async function unbroken(): Promise<Told> {
  const stream = await SaccadeStream.open(streamUrl(server.url));
  for (const { jpeg, timestampUs } of frames) await (await stream.sendFrame(jpeg, { timestampUs })).outcome;
  await stream.close();
  return told(stream.sessionId);
}

const withoutIds = ({ frame_count, keyframes, percepts }: Told) => ({
  frame_count,
  keyframes: keyframes.map(({ index, timestamp_ms, reason }) => ({ index, timestamp_ms, reason })),
  percepts: percepts.map(({ text, actions }) => ({ text, actions })),
});

describe('a connection that breaks', () => {
  it('again and again leaves the same keyframes and percepts as one that does not', async () => {
    const stream = await SaccadeStream.open(streamUrl(proxy.url), { reconnect: { baseMs: 1, maxMs: 5 } });
    const states: string[] = [];
    stream.onConnection((state) => states.push(state));
    for (const [i, { jpeg, timestampUs }] of frames.entries()) {
      if (i % 5 === 3) proxy.breakAll();
      await stream.sendFrame(jpeg, { timestampUs });
    }
    await stream.close();
    expect(states.filter((state) => state === 'reconnecting').length).toBeGreaterThanOrEqual(4);
    expect(withoutIds(await told(stream.sessionId))).toEqual(withoutIds(await unbroken()));
  });

  it('while a question is open still brings its answer, once', async () => {
    const stream = await SaccadeStream.open(streamUrl(proxy.url), { reconnect: { baseMs: 1, maxMs: 5 } });
    for (const { jpeg, timestampUs } of frames.slice(0, 8)) await stream.sendFrame(jpeg, { timestampUs });
    const asked = stream.ask(TURN);
    proxy.breakAll();
    const answer = await asked.answer;
    expect(answer.seen_until_ms).toBe(Math.round(frames[7]!.timestampUs / 1000));
    await stream.close();
    const { items } = (await (
      await fetch(`${server.url}/trajectories?session_id=${stream.sessionId}`)
    ).json()) as { items: unknown[] };
    expect(items).toHaveLength(1);
  });

  it('is told by nothing but silence: the server finds it, and the session can be resumed', async () => {
    await server.close();
    server = await start({ STREAM_PING_MS: '100' });
    const mute = await RawStream.open(server.url, { autoPong: false });
    mute.frame(0, frames[0]!.jpeg);
    expect((await mute.closed).code).toBe(1006);
    const again = await SaccadeStream.resume(streamUrl(server.url), mute.sessionId);
    expect((await again.close()).frame_count).toBe(1);
  });

  it('does not keep another from taking the session over', async () => {
    const first = await RawStream.open(server.url);
    first.frame(0, frames[0]!.jpeg, frames[0]!.timestampUs);
    await first.next('ack');
    const second = await SaccadeStream.resume(streamUrl(server.url), first.sessionId);
    expect(await first.next('error')).toMatchObject({ code: 'taken_over' });
    expect(await first.closed).toEqual({ code: 4409, reason: 'taken_over' });
    const sent = await second.sendFrame(frames[1]!.jpeg, { timestampUs: frames[1]!.timestampUs });
    expect(sent.sequence).toBe(1);
    expect(await sent.outcome).toMatchObject({ status: 'skipped' });
    expect((await second.close()).frame_count).toBe(2);
  });

  it('for good ends the session after a while, with its last frame', async () => {
    await server.close();
    server = await start({ STREAM_RESUME_MS: '50' });
    const gone = await RawStream.open(server.url);
    for (let i = 0; i < 3; i++) gone.frame(i, frames[i]!.jpeg, frames[i]!.timestampUs);
    await gone.next('ack', ({ sequence }) => sequence === 2);
    const watcher = await SaccadeStream.observe(streamUrl(server.url), gone.sessionId);
    const closed = new Promise((resolve) => watcher.on('session.closed', resolve));
    gone.socket.terminate();
    expect(await closed).toMatchObject({ reason: 'left', frame_count: 3 });
    expect((await told(gone.sessionId)).keyframes.at(-1)!.reason).toBe('last');
  });
});

describe('a server that is started anew', () => {
  it('goes on from the last stored percept; the client sends again what came after', async () => {
    const stream = await SaccadeStream.open(streamUrl(proxy.url), {
      reconnect: { baseMs: 20, maxMs: 100, maxAttempts: 200 },
    });
    const open = [];
    for (const { jpeg, timestampUs } of frames.slice(0, 14))
      open.push(await stream.sendFrame(jpeg, { timestampUs }));
    await Promise.all(open.map(({ outcome }) => outcome));
    await server.close();
    server = await start();
    for (const { jpeg, timestampUs } of frames.slice(14)) await stream.sendFrame(jpeg, { timestampUs });
    await stream.close();
    const after = withoutIds(await told(stream.sessionId));
    const before = withoutIds(await unbroken());
    expect(after.keyframes.map(({ timestamp_ms }) => timestamp_ms)).toEqual(
      before.keyframes.map(({ timestamp_ms }) => timestamp_ms),
    );
    expect(after.keyframes.map(({ index }) => index)).toEqual(before.keyframes.map(({ index }) => index));
    expect(after.percepts).toEqual(before.percepts);
    expect(after.frame_count).toBe(before.frame_count);
  });

  it('after a kill -9 has every percept once, and an open question is answered', async () => {
    const folder = temporaryFolder();
    const variables = { SACCADE_DATA_DIR: folder, LOG_LEVEL: 'info', LM_THREADS: '1' };
    let child = startProcess(variables);
    let url = await servingUrl(child);
    const between = await BreakableProxy.start(() => new URL(url).port);
    onTestFinished(() => between.stop());
    const stream = await SaccadeStream.open(streamUrl(between.url), {
      reconnect: { baseMs: 20, maxMs: 200, maxAttempts: 500 },
    });
    for (const { jpeg, timestampUs } of frames.slice(0, 14)) await stream.sendFrame(jpeg, { timestampUs });
    const asked = stream.ask(TURN);
    const killed = once(child, 'exit');
    child.kill('SIGKILL');
    await killed;
    child = startProcess(variables);
    url = await servingUrl(child);
    for (const { jpeg, timestampUs } of frames.slice(14)) await stream.sendFrame(jpeg, { timestampUs });
    const answer = await asked.answer;
    expect(answer.seen_until_ms).toBe(Math.round(frames[13]!.timestampUs / 1000));
    await stream.close();
    const after = (await (await fetch(`${url}/sessions/${stream.sessionId}`)).json()) as Told;
    const whole = await unbroken();
    const asUsual = after.keyframes.filter(({ reason }) => reason !== 'question');
    expect(after.keyframes.map(({ index }) => index)).toEqual(after.keyframes.map((_, i) => i));
    expect(after.percepts).toHaveLength(after.keyframes.length);
    expect(asUsual[0]).toMatchObject({ timestamp_ms: 0 });
    expect(asUsual.at(-1)!.timestamp_ms).toBe(whole.keyframes.at(-1)!.timestamp_ms);
    expect(after.frame_count).toBe(whole.frame_count);
    const { items } = (await (await fetch(`${url}/trajectories?session_id=${stream.sessionId}`)).json()) as {
      items: unknown[];
    };
    expect(items).toHaveLength(1);
    const stopped = once(child, 'exit');
    child.kill('SIGTERM');
    await stopped;
  });

  it('makes a finished session live again for who resumes it, and refuses one that was a video', async () => {
    const stream = await SaccadeStream.open(streamUrl(server.url));
    for (const { jpeg, timestampUs } of frames.slice(0, 6)) await stream.sendFrame(jpeg, { timestampUs });
    await stream.close();
    const again = await SaccadeStream.resume(streamUrl(server.url), stream.sessionId);
    const { sequence, outcome } = await again.sendFrame(frames[6]!.jpeg, {
      timestampUs: frames[6]!.timestampUs,
    });
    expect(sequence).toBe(6);
    expect(await outcome).toMatchObject({ ack: { timestamp_ms: 3000 } });
    const answer = await again.ask(TURN).answer;
    expect(answer.keyframes[0]!.timestamp_ms).toBe(0);
    expect((await again.close()).frame_count).toBe(7);
    const replayed = await fetch(`${server.url}/sessions/replay`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ frames: [frames[0]!.jpeg.toString('base64')], speed: 100 }),
    });
    const { session_id: id } = (await replayed.json()) as { session_id: string };
    await expect
      .poll(
        async () => ((await (await fetch(`${server.url}/sessions/${id}`)).json()) as { state: string }).state,
      )
      .toBe('finished');
    await expect(SaccadeStream.resume(streamUrl(server.url), id)).rejects.toMatchObject({
      code: 'session_not_a_stream',
    });
  });
});
