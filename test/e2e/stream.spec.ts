import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  SaccadeStream,
  ServerEvent,
  ServerEventName,
  ServerEvents,
} from '../../clients/typescript/src/index.js';
import { CameraFrame, clipFrames } from '../support/clip-frames.js';
import { startTestServer, TestServer } from '../support/running-server.js';

const TURN = { question: 'Which way did I turn in all?', options: ['left', 'right', 'not at all'] };

let server: TestServer;
let frames: CameraFrame[];
beforeAll(async () => {
  [server, frames] = await Promise.all([startTestServer(), clipFrames()]);
});
afterAll(() => server.close());

const streamUrl = () => `${server.url.replace('http', 'ws')}/stream`;
const get = async (path: string) => (await (await fetch(server.url + path)).json()) as unknown;

async function send(stream: SaccadeStream, some: readonly CameraFrame[]) {
  const outcomes = [];
  for (const { jpeg, timestampUs } of some)
    outcomes.push((await stream.sendFrame(jpeg, { timestampUs })).outcome);
  return Promise.all(outcomes);
}

/** All events until the session ends. */
function recorded(stream: SaccadeStream): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  return (async () => {
    for await (const event of stream.events()) events.push(event);
    return events;
  })();
}

const named = <Name extends ServerEventName>(events: readonly ServerEvent[], name: Name) =>
  events.filter(({ event }) => event === name).map(({ data }) => data as ServerEvents[Name]);

describe('a session', () => {
  it('looks at every frame once, in order, and tells keyframes and percepts in order', async () => {
    const stream = await SaccadeStream.open(streamUrl());
    const all = recorded(stream);
    const sent = frames.slice(0, 24);
    const outcomes = await send(stream, sent);
    expect(outcomes.map(({ sequence }) => sequence)).toEqual(sent.map((_, i) => i));
    expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['kept', 'skipped']));
    const closed = await stream.close();
    const events = await all;
    const keyframes = named(events, 'keyframe');
    const percepts = named(events, 'percept');
    expect(keyframes.map(({ index }) => index)).toEqual(keyframes.map((_, i) => i));
    expect(keyframes[0]).toMatchObject({ reason: 'first', sequence: 0, timestamp_ms: 0 });
    expect(keyframes.at(-1)).toMatchObject({ reason: 'last', sequence: sent.length - 1 });
    expect(percepts.map(({ keyframe_id }) => keyframe_id)).toEqual(keyframes.map(({ id }) => id));
    const kept = outcomes.filter(({ status }) => status === 'kept').map(({ sequence }) => sequence);
    expect(keyframes.slice(0, -1).map(({ sequence }) => sequence)).toEqual(kept);
    expect(closed).toMatchObject({
      reason: 'closed',
      frame_count: sent.length,
      keyframe_count: keyframes.length,
      seen_until_ms: Math.round(sent.at(-1)!.timestampUs / 1000),
    });
    const image = await fetch(server.url + keyframes[0]!.image_url);
    expect(image.headers.get('content-type')).toBe('image/jpeg');
  });

  it('answers from what was seen until the question, and from nothing later', async () => {
    const stream = await SaccadeStream.open(streamUrl());
    const half = Math.floor(frames.length / 2);
    await send(stream, frames.slice(0, half));
    const asked = stream.ask({ ...TURN, ground_truth: 'A' });
    const later = send(stream, frames.slice(half));
    const parts: string[] = [];
    for await (const { event, data } of asked) if (event === 'answer.delta') parts.push(data.text);
    const answer = await asked.answer;
    await later;
    const momentMs = Math.round(frames[half - 1]!.timestampUs / 1000);
    expect(answer.seen_until_ms).toBe(momentMs);
    expect(Math.max(...answer.keyframes.map(({ timestamp_ms }) => timestamp_ms))).toBe(momentMs);
    expect(answer.keyframes.at(-1)!.reason).toBe('question');
    expect(parts.join('')).toContain(answer.thinking.slice(0, 20));
    const ids = answer.keyframes.map(({ id }) => id);
    expect(answer.evidence_keyframe_ids.length).toBeGreaterThan(0);
    for (const id of answer.evidence_keyframe_ids) expect(ids).toContain(id);
    const kept = (await get(`/trajectories/${answer.trajectory_id}`)) as Record<string, unknown>;
    expect(kept).toMatchObject({
      seen_until_ms: momentMs,
      evidence_keyframe_ids: answer.evidence_keyframe_ids,
      question: { session_id: stream.sessionId, ground_truth: 'A' },
      session: { source: 'stream' },
    });
    await stream.close();
  });

  it('answers several questions at once, and drops one that is cancelled', async () => {
    const stream = await SaccadeStream.open(streamUrl());
    await send(stream, frames.slice(0, 8));
    const asked = ['one', 'two', 'three', 'four'].map((id) => stream.ask(TURN, id));
    asked[1]!.cancel();
    await expect(asked[1]!.answer).rejects.toMatchObject({ code: 'cancelled' });
    const answers = await Promise.all([asked[0]!, asked[2]!, asked[3]!].map(({ answer }) => answer));
    expect(answers.map(({ question_id }) => question_id)).toEqual(['one', 'three', 'four']);
    expect(new Set(answers.map(({ thinking }) => thinking)).size).toBe(1);
    await stream.close();
    const { items } = (await get(`/trajectories?session_id=${stream.sessionId}`)) as { items: unknown[] };
    expect(items).toHaveLength(3);
  });

  it('refuses what it cannot answer by an error that names the question', async () => {
    const stream = await SaccadeStream.open(streamUrl());
    await expect(stream.ask(TURN).answer).rejects.toMatchObject({ code: 'nothing_seen', retryable: true });
    await send(stream, frames.slice(0, 2));
    const wrong = { question: 'Where?', options: ['only one'] };
    await expect(stream.ask(wrong).answer).rejects.toMatchObject({ code: 'invalid_field', field: 'options' });
    await expect(stream.ask({ question: 'Where?', answer_type: 'choice' }).answer).rejects.toMatchObject({
      code: 'options_missing',
    });
    expect((await stream.ask(TURN).answer).answer).not.toBeNull();
    await stream.close();
  });
});

describe('a session over HTTP', () => {
  it('is asked while it is live and after it has ended, and listed', async () => {
    const stream = await SaccadeStream.open(streamUrl());
    await send(stream, frames.slice(0, 12));
    const ask = async () =>
      (await (
        await fetch(`${server.url}/reason`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ ...TURN, session_id: stream.sessionId }),
        })
      ).json()) as { seen_until_ms: number; answer: string; keyframes: unknown[] };
    const live = await ask();
    expect(live.seen_until_ms).toBe(Math.round(frames[11]!.timestampUs / 1000));
    const listed = (await get('/sessions?state=live')) as { items: { id: string }[] };
    expect(listed.items.map(({ id }) => id)).toContain(stream.sessionId);
    await stream.close();
    const finished = await ask();
    expect(finished).toMatchObject({ answer: live.answer, seen_until_ms: live.seen_until_ms });
    expect(finished.keyframes).toHaveLength(live.keyframes.length);
    expect(await get(`/sessions/${stream.sessionId}`)).toMatchObject({
      state: 'finished',
      source: 'stream',
      frame_count: 12,
      question_count: 2,
    });
  });

  it('is deleted with its data, live or not; percepts that another session shares stay', async () => {
    const one = await SaccadeStream.open(streamUrl());
    const two = await SaccadeStream.open(streamUrl());
    await send(one, frames.slice(0, 4));
    await send(two, frames.slice(0, 4));
    const answer = await one.ask(TURN).answer;
    await two.ask(TURN).answer;
    const deleted = await fetch(`${server.url}/sessions/${one.sessionId}`, { method: 'DELETE' });
    expect(deleted.status).toBe(204);
    await expect(one.close()).rejects.toMatchObject({ code: expect.any(String) });
    for (const path of [
      `/sessions/${one.sessionId}`,
      `/trajectories/${answer.trajectory_id}`,
      answer.keyframes[0]!.image_url,
    ])
      expect((await fetch(server.url + path)).status, path).toBe(404);
    const other = (await get(`/sessions/${two.sessionId}`)) as { percepts: { text: string }[] };
    expect(other.percepts.map(({ text }) => text)).toEqual(answer.percepts.map(({ text }) => text));
    expect((await fetch(`${server.url}/sessions/${one.sessionId}`, { method: 'DELETE' })).status).toBe(404);
    await two.close();
  });

  it('refuses a session_id that is wrong, unknown, or given beside a video', async () => {
    const ask = async (more: object) => {
      const response = await fetch(`${server.url}/reason`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...TURN, ...more }),
      });
      return [response.status, ((await response.json()) as { code: string }).code];
    };
    const unknown = '0193e0a0-0000-7000-8000-000000000000';
    expect(await ask({ session_id: 'x' })).toEqual([400, 'invalid_field']);
    expect(await ask({ session_id: unknown })).toEqual([404, 'no_such_session']);
    expect(await ask({ session_id: unknown, frames: ['AAAA'] })).toEqual([400, 'several_videos_given']);
  });
});
