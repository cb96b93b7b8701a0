import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SaccadeStream } from '../../clients/typescript/src/index.js';
import { CameraFrame, clipFrames } from '../support/clip-frames.js';
import { answer, FakeReply } from '../support/fake-openai-replies.js';
import { FakeOpenAiServer } from '../support/fake-openai-server.js';
import { RawStream } from '../support/raw-stream.js';
import { startTestServer, TestServer } from '../support/running-server.js';

const VIEW = answer(JSON.stringify({ action: null, objects: [], gone: [], description: 'a room' }));

let frames: CameraFrame[];
let server: TestServer;
let vlm: FakeOpenAiServer | null = null;
beforeAll(async () => {
  frames = await clipFrames('tour', 1);
});
afterEach(async () => {
  await server.close();
  await vlm?.stop();
  vlm = null;
});

async function startWithVlm(reply: () => FakeReply | Promise<FakeReply>, variables: Record<string, string>) {
  vlm = new FakeOpenAiServer();
  const { baseUrl } = await vlm.start();
  vlm.script(reply);
  server = await startTestServer({
    PERCEIVER: 'openai',
    VLM_BASE_URL: baseUrl,
    VLM_MODEL: 'fake-model',
    ...variables,
  });
}

describe('a client that outruns the server', () => {
  it('loses its oldest frames that are no key frames, is told which, and nothing waits without bound', async () => {
    let letGo: (reply: FakeReply) => void = () => undefined;
    const held = new Promise<FakeReply>((resolve) => (letGo = resolve));
    await startWithVlm(() => held, {
      STREAM_PERCEPTION_BACKLOG: '1',
      STREAM_QUEUE_FRAMES: '4',
      STREAM_MAX_FPS: '100',
    });
    const stream = await RawStream.open(server.url);
    stream.frame(0, frames[0]!.jpeg);
    await stream.next('keyframe'); // its percept is held, so that no other frame is looked at
    for (let i = 1; i <= 9; i++) stream.frame(i, frames[i]!.jpeg, i * 500_000, i === 2 || i === 3);
    await stream.next('throttle', ({ dropped_total }) => dropped_total === 5);
    expect(stream.all('throttle').flatMap(({ dropped }) => dropped)).toEqual(
      [1, 4, 5, 6, 7].sort((a, b) => a - b),
    );
    expect(stream.all('throttle')[0]).toMatchObject({ reason: 'queue', credits: 8 });
    letGo(VIEW);
    await stream.next('ack', ({ sequence }) => sequence === 9);
    expect(stream.all('ack').map(({ sequence }) => sequence)).toEqual([0, 2, 3, 8, 9]);
    stream.send('session.close');
    expect(await stream.next('session.closed')).toMatchObject({ frame_count: 5 });
  });

  it('does not when it keeps to its credits', async () => {
    await startWithVlm(() => VIEW, { STREAM_CREDITS: '2', STREAM_QUEUE_FRAMES: '2', STREAM_MAX_FPS: '100' });
    const stream = await SaccadeStream.open(`${server.url.replace('http', 'ws')}/stream`);
    const sent = [];
    for (const { jpeg, timestampUs } of frames) sent.push(await stream.sendFrame(jpeg, { timestampUs }));
    const outcomes = await Promise.all(sent.map(({ outcome }) => outcome));
    expect(outcomes.filter(({ status }) => status !== 'kept' && status !== 'skipped')).toEqual([]);
    await stream.close();
  });
});

describe('a perceiver that fails', () => {
  it('costs the words of a keyframe, not its measured movement nor the session', async () => {
    let calls = 0;
    await startWithVlm(
      () => (++calls <= 2 || calls >= 5 ? VIEW : { kind: 'error', status: 401, message: 'no key' }),
      { STREAM_MAX_FPS: '100' },
    );
    const stream = await RawStream.open(server.url);
    for (const [i, { jpeg, timestampUs }] of frames.slice(0, 9).entries()) {
      stream.frame(i, jpeg, timestampUs);
      await stream.next('ack', ({ sequence }) => sequence === i);
      await stream.next('percept', ({ index }) => index === stream.all('keyframe').length - 1 || i === 0);
    }
    stream.send('session.close');
    await stream.next('session.closed');
    const percepts = stream.all('percept');
    expect(percepts.map(({ index }) => index)).toEqual(stream.all('keyframe').map(({ index }) => index));
    const failed = percepts.find(({ text }) => text === 'nothing known')!;
    expect(failed.actions.length).toBeGreaterThan(0);
    expect(stream.all('error')).toMatchObject([{ status: 502, upstream: 'vlm', sequence: failed.sequence }]);
  });
});

describe('limits', () => {
  it('of sessions, and of observers', async () => {
    server = await startTestServer({ STREAM_MAX_SESSIONS: '1', STREAM_MAX_OBSERVERS: '1' });
    const first = await RawStream.open(server.url);
    const second = await RawStream.connect(server.url);
    second.send('session.open');
    expect(await second.next('error')).toMatchObject({ code: 'too_many_sessions', status: 503, limit: 1 });
    expect(await second.closed).toEqual({ code: 4503, reason: 'too_many_sessions' });
    const watchers = [await RawStream.connect(server.url), await RawStream.connect(server.url)];
    for (const watcher of watchers) watcher.send('session.observe', { session_id: first.sessionId });
    const refused = await Promise.race(
      watchers.map(async (watcher) => ({ watcher, ...(await watcher.closed) })),
    );
    expect(refused).toMatchObject({ code: 4503, reason: 'too_many_observers' });
    first.send('session.close');
    await first.closed;
    const third = await RawStream.open(server.url);
    third.socket.close();
  });

  it('of time without a message, before and after a session is opened, and of a session’s life', async () => {
    server = await startTestServer({
      STREAM_IDLE_MS: '1000',
      STREAM_PING_MS: '100',
      STREAM_MAX_LIFETIME_MS: '2500',
    });
    const unopened = await RawStream.connect(server.url);
    expect(await unopened.next('error')).toMatchObject({ code: 'open_timeout', status: 504 });
    expect(await unopened.closed).toEqual({ code: 4408, reason: 'open_timeout' });
    const idle = await RawStream.open(server.url);
    idle.frame(0, frames[0]!.jpeg);
    expect(await idle.next('error')).toMatchObject({ code: 'session_idle', limit: 1000 });
    expect(await idle.closed).toEqual({ code: 4408, reason: 'session_idle' });
    const again = await RawStream.connect(server.url);
    again.send('session.resume', { session_id: idle.sessionId });
    expect(await again.next('session.ready')).toMatchObject({ resumed: true, next_sequence: 1 });
    const talking = setInterval(() => again.send('ping'), 200);
    expect(await again.next('session.closed')).toMatchObject({ reason: 'too_old', frame_count: 1 });
    expect((await again.closed).code).toBe(4410);
    clearInterval(talking);
  });

  it('of frames a second, and the end of a connection that goes far beyond it', async () => {
    server = await startTestServer({ STREAM_MAX_FPS: '2' });
    const stream = await RawStream.open(server.url);
    for (let i = 0; i < 101; i++) stream.frame(i, frames[0]!.jpeg);
    expect(await stream.next('error')).toMatchObject({ code: 'rate_exceeded', retryable: true });
    expect(await stream.closed).toEqual({ code: 4429, reason: 'rate_exceeded' });
    expect(stream.all('throttle')[0]).toMatchObject({ reason: 'frame_rate', dropped: [4] });
  });

  it('of bytes a second', async () => {
    server = await startTestServer({ STREAM_MAX_BYTES_PER_S: '20000' });
    const stream = await RawStream.open(server.url);
    for (let i = 0; i < 4; i++) stream.frame(i, frames[0]!.jpeg);
    expect(await stream.next('throttle')).toMatchObject({ reason: 'byte_rate' });
    stream.socket.close();
  });

  it('of open questions', async () => {
    server = await startTestServer({ STREAM_MAX_QUESTIONS: '1' });
    const stream = await RawStream.open(server.url);
    const ask = { question: 'Where?', mode: 'wait', until: ['nowhere'] };
    stream.send('ask', { ...ask, question_id: 'one' });
    stream.send('ask', { ...ask, question_id: 'two' });
    expect(await stream.next('error')).toMatchObject({
      code: 'too_many_questions',
      question_id: 'two',
      limit: 1,
    });
    stream.send('cancel', { question_id: 'one' });
    expect(await stream.next('question.ended')).toMatchObject({ question_id: 'one', reason: 'cancelled' });
    stream.socket.close();
  });
});
