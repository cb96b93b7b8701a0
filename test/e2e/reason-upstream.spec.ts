import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answer, FakeReply } from '../support/fake-openai-replies.js';
import { FakeOpenAiServer, FakeRequest } from '../support/fake-openai-server.js';
import { readEvents } from '../support/event-stream.js';
import { clipForm, startTestServer, TestServer } from '../support/running-server.js';

const QUESTION = { question: 'Which way did I turn?', options: '["left","right"]' };
const NOTHING = { sessions: 0, keyframes: 0, questions: 0, trajectories: 0 };

let upstream: FakeOpenAiServer;
let server: TestServer;

async function start(variables: Record<string, string>): Promise<void> {
  const { baseUrl } = await upstream.start();
  server = await startTestServer(
    Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, value.replace('{upstream}', baseUrl)]),
    ),
  );
}

beforeEach(() => {
  upstream = new FakeOpenAiServer();
});

afterEach(async () => {
  await server.close();
  await upstream.stop();
});

const post = (fields: Record<string, string> = {}, signal?: AbortSignal) =>
  fetch(`${server.url}/reason`, { method: 'POST', body: clipForm({ ...QUESTION, ...fields }), signal });

describe('a language model behind a server', () => {
  const remote = { LM_BACKEND: 'openai', LM_BASE_URL: '{upstream}', LM_MODEL: 'fake-model' };

  it('answers, and its tokens are kept as they were sampled', async () => {
    await start(remote);
    const tokens = ['<think>', 'left', '</think>', '<answer>', 'A', '</answer>', ''].map((text, i) => ({
      id: 100 + i,
      text,
      logprob: -0.25 * (i + 1),
    }));
    const content = tokens.map(({ text }) => text).join('');
    upstream.script(() => answer(content, { tokens }));
    const reply = (await (await post()).json()) as Record<string, unknown>;
    expect(reply).toMatchObject({ answer: 'A', answer_text: 'left', thinking: 'left', problem: null });
    const kept = await (await fetch(`${server.url}/trajectories/${reply.trajectory_id as string}`)).json();
    expect(kept).toMatchObject({
      completion_token_ids: tokens.map(({ id }) => id),
      logprobs: tokens.map(({ logprob }) => logprob),
    });
  });

  it('that is down is told as 502 with its name, and nothing is half-written', async () => {
    await start(remote);
    await upstream.stop();
    const reply = await post();
    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject({
      upstream: expect.stringMatching(/lm|language model/i),
      retryable: true,
    });
    expect(await server.countRows()).toEqual(NOTHING);
  });

  it('that talks no protocol is told as 502', async () => {
    await start(remote);
    upstream.script(() => ({ kind: 'garbage', body: '<html>Welcome</html>', contentType: 'text/html' }));
    expect((await post()).status).toBe(502);
    expect(await server.countRows()).toEqual(NOTHING);
  });

  it('that answers nothing usable still gives a kept trajectory that says so', async () => {
    await start(remote);
    upstream.script(() => answer('I would say left, or right.'));
    const reply = (await (await post()).json()) as Record<string, unknown>;
    expect(reply).toMatchObject({ answer: null, problem: expect.stringContaining('options A, B') });
    expect(await server.countRows()).toMatchObject({ trajectories: 1 });
  });

  it('that never answers is cut off at the deadline with 504', async () => {
    await start({ ...remote, REQUEST_TIMEOUT_MS: '4000' });
    upstream.script(() => ({ kind: 'hang' }));
    const reply = await post();
    expect(reply.status).toBe(504);
    expect(await reply.json()).toMatchObject({ code: 'question_timeout', limit: 4000 });
    expect(await upstream.requests[0]!.aborted).toBe(true);
    expect(await server.countRows()).toEqual(NOTHING);
  });

  it('breaks a stream that has begun with an error event', async () => {
    await start(remote);
    upstream.script(() => ({ kind: 'drop' }));
    const events = await readEvents(await post({ stream: 'true' }));
    expect(events[0]!.event).toBe('keyframe');
    expect(events.at(-1)).toMatchObject({ event: 'error', data: { status: 502 } });
    expect(await server.countRows()).toEqual(NOTHING);
  });

  it('stops working once its client has gone', async () => {
    await start(remote);
    const asked = new Promise<FakeRequest>((resolve) => {
      upstream.script((request): FakeReply => {
        resolve(request);
        return { kind: 'hang' };
      });
    });
    const gone = new AbortController();
    const reply = post({}, gone.signal);
    const request = await asked;
    gone.abort();
    await expect(reply).rejects.toThrow();
    expect(await request.aborted).toBe(true);
    expect(await server.countRows()).toEqual(NOTHING);
    upstream.script(() => answer('<think>still here</think><answer>B</answer>'));
    expect((await post()).status).toBe(200);
  });

  it('turns away what is over the number of questions at a time', async () => {
    await start({ ...remote, MAX_CONCURRENT_QUESTIONS: '1' });
    const asked = new Promise<void>((resolve) => {
      upstream.script((): FakeReply => {
        resolve();
        return { kind: 'hang' };
      });
    });
    const gone = new AbortController();
    const first = post({}, gone.signal);
    first.catch(() => undefined);
    await asked;
    const second = await post();
    expect(second.status).toBe(503);
    expect(second.headers.get('retry-after')).toBe('2');
    expect(await second.json()).toMatchObject({ code: 'too_many_questions', limit: 1, retryable: true });
    gone.abort();
  });
});

describe('a vision-language model', () => {
  const remote = { PERCEIVER: 'openai', VLM_BASE_URL: '{upstream}', VLM_MODEL: 'fake-model' };

  it('that is down is told as 502 with its name, and nothing is half-written', async () => {
    await start({ ...remote, PERCEPTION_TIMEOUT_MS: '1000' });
    await upstream.stop();
    const reply = await post();
    expect(reply.status).toBe(502);
    expect(await reply.json()).toMatchObject({ upstream: expect.stringMatching(/vlm|vision/i) });
    expect(await server.countRows()).toEqual(NOTHING);
  });

  /** What the model would see of any view, and say of a question. */
  function describeViews(view: object, aboutQuestion: string): void {
    upstream.script(({ body }) => {
      const isView = 'response_format' in body;
      return answer(isView ? JSON.stringify(view) : aboutQuestion);
    });
  }
  const VIEW = {
    action: 'move upward',
    objects: [{ name: 'lamp', colour: 'yellow', bearing: 'left', distance: 'near', new: true }],
    gone: [],
    description: 'A hall.',
  };

  it('is asked once for each picture, and once more for each question', async () => {
    await start(remote);
    describeViews(VIEW, 'No turn can be seen.');
    const first = (await (await post()).json()) as { percepts: unknown[]; usage: Record<string, number> };
    const keyframes = first.percepts.length;
    expect(upstream.requests).toHaveLength(2 * keyframes);
    expect(first.usage.perception_prompt_tokens).toBeGreaterThan(0);
    const again = (await (await post()).json()) as { percepts: { cached: boolean; for_question: string }[] };
    expect(upstream.requests).toHaveLength(2 * keyframes);
    expect(again.percepts.every(({ cached }) => cached)).toBe(true);
    await post({ question: 'Which way did the camera turn?' });
    expect(upstream.requests).toHaveLength(3 * keyframes);
  });

  it('has its words, its second look and its doubtful movement in the prompt', async () => {
    await start(remote);
    describeViews(VIEW, 'No turn can be seen.');
    const reply = (await (await post()).json()) as {
      trajectory_id: string;
      percepts: { for_question: string; contradiction: { claimed: string } | null }[];
    };
    // The clip turns and moves, and the model says of every pair that the camera rose.
    const doubted = reply.percepts.filter(({ contradiction }) => contradiction !== null);
    expect(doubted.length).toBeGreaterThan(0);
    expect(doubted[0]!.contradiction!.claimed).toBe('move upward');
    expect(reply.percepts[0]!.for_question).toBe('No turn can be seen.');
    const kept = await fetch(`${server.url}/trajectories/${reply.trajectory_id}`);
    const { prompt } = (await kept.json()) as { prompt: { content: string }[] };
    expect(prompt.at(-1)!.content).toMatch(
      /Frame 0: Observe: yellow lamp on the left, near\. A hall\. About the question: No turn can be seen\./,
    );
    expect(prompt.at(-1)!.content).toContain('(movement uncertain)');
  });

  it('is not kept looking for a question that has failed', async () => {
    await start(remote);
    const looks: FakeRequest[] = [];
    let another: () => void;
    const two = new Promise<void>((resolve) => (another = resolve));
    upstream.script(async (request): Promise<FakeReply> => {
      if ('response_format' in request.body) return answer(JSON.stringify(VIEW));
      if (looks.push(request) > 1) {
        another();
        return { kind: 'hang' };
      }
      await two;
      return { kind: 'error', status: 401, message: 'no' };
    });
    expect((await post()).status).toBe(502);
    const stopped = await Promise.all(looks.slice(1).map(({ aborted }) => aborted));
    expect(stopped.length).toBeGreaterThan(0);
    expect(stopped.every(Boolean)).toBe(true);
    expect(await server.countRows()).toEqual(NOTHING);
  });

  it('is not asked about questions where that is turned off', async () => {
    await start({ ...remote, VLM_QUESTION_PASS: 'false' });
    describeViews(VIEW, 'x');
    const reply = (await (await post()).json()) as { percepts: { for_question: null }[] };
    expect(upstream.requests).toHaveLength(reply.percepts.length);
    expect(reply.percepts.every(({ for_question }) => for_question === null)).toBe(true);
  });
});
