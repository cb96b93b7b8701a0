import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SaccadeStream } from '../../clients/typescript/src/index.js';
import { CameraFrame, clipFrames } from '../support/clip-frames.js';
import { answer, FakeReply } from '../support/fake-openai-replies.js';
import { FakeOpenAiServer, FakeRequest } from '../support/fake-openai-server.js';
import { startTestServer, TestServer } from '../support/running-server.js';

// The language model is a server on loopback whose samples agree as the test wants, one list for each time it is asked.

const SEE = { question: 'Do I see a television?', options: ['yes', 'no'], mode: 'wait' } as const;

let model: FakeOpenAiServer;
let server: TestServer;
let frames: CameraFrame[];
let asked: FakeRequest[] = [];

beforeAll(async () => {
  model = new FakeOpenAiServer();
  const { baseUrl } = await model.start();
  [server, frames] = await Promise.all([
    startTestServer({
      LM_BACKEND: 'openai',
      LM_BASE_URL: baseUrl,
      LM_MODEL: 'fake-model',
      STREAM_WAIT_SAMPLES: '4',
    }),
    clipFrames(),
  ]);
});
afterEach(() => (asked = []));
afterAll(async () => {
  await server.close();
  await model.stop();
});

/** The nth time that it is asked, the model samples these letters; the last list for all after it. */
function samples(...lists: string[][]): void {
  model.script((request): FakeReply => {
    asked.push(request);
    const letters = lists[Math.min(asked.length, lists.length) - 1]!;
    return {
      ...answer(''),
      choices: letters.map((letter) => ({ content: `<think>so</think><answer>${letter}</answer>` })),
    } as FakeReply;
  });
}

const open = () => SaccadeStream.open(`${server.url.replace('http', 'ws')}/stream`);

/** Sends frames until the model was thought with so often more. */
async function feed(stream: SaccadeStream, from: number, count: number): Promise<number> {
  for (const { jpeg, timestampUs } of frames.slice(from, from + count))
    await (
      await stream.sendFrame(jpeg, { timestampUs })
    ).outcome;
  return from + count;
}

async function waits(stream: SaccadeStream, question: Parameters<SaccadeStream['ask']>[0]) {
  const handle = stream.ask(question);
  const told: { decision: string; candidate: unknown; confidence: number }[] = [];
  let wake = () => undefined as void;
  const watching = (async () => {
    for await (const { event, data } of handle)
      if (event === 'answer.wait') {
        told.push({ decision: data.decision, candidate: data.candidate, confidence: data.confidence });
        wake();
      }
  })();
  const until = async (count: number) => {
    while (told.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { handle, told, until, watching };
}

describe('a standing question', () => {
  it('waits while the samples disagree, is silent while they agree on nothing asked for, then answers', async () => {
    samples(['A', 'B', 'A', 'B'], ['B', 'B', 'B', 'B'], ['A', 'A', 'A', 'A']);
    const stream = await open();
    const { handle, told, until, watching } = await waits(stream, { ...SEE, until: ['yes'] });
    let at = await feed(stream, 0, 1);
    await until(1);
    at = await feed(stream, at, 9);
    await until(2);
    await feed(stream, at, 12);
    const given = await handle.answer;
    await watching;
    expect(told).toEqual([
      { decision: 'wait', candidate: expect.stringMatching(/[AB]/), confidence: 0.5 },
      { decision: 'silent', candidate: 'B', confidence: 1 },
    ]);
    expect(given).toMatchObject({ answer: 'A', answer_text: 'yes', confidence: 1 });
    expect(given.seen_until_ms).toBeGreaterThan(3000);
    // Samples differ only where they are not greedy.
    expect(asked[0]!.body).toMatchObject({ n: 4, temperature: 0.7 });
    const kept = (await (await fetch(`${server.url}/trajectories/${given.trajectory_id}`)).json()) as object;
    expect(kept).toMatchObject({ confidence: 1, sampling: { temperature: 0.7 } });
    await stream.close();
  });

  it('answers any confident answer when it waits for none in particular, also before a frame has come', async () => {
    samples(['B', 'B', 'B', 'A']);
    const stream = await open();
    const handle = stream.ask({ ...SEE, min_confidence: 0.75 });
    await feed(stream, 0, 1);
    expect(await handle.answer).toMatchObject({ answer: 'B', confidence: 0.75 });
    await stream.close();
  });

  it('gives its last candidate with the confidence it has when its time is over', async () => {
    samples(['A', 'B', 'A', 'A']);
    const stream = await open();
    await feed(stream, 0, 1);
    expect(await stream.ask({ ...SEE, timeout_ms: 300 }).answer).toMatchObject({
      answer: 'A',
      confidence: 0.75,
    });
    await stream.close();
  });

  it('expires when nothing that it waits for came', async () => {
    samples(['B', 'B', 'B', 'B']);
    const stream = await open();
    await feed(stream, 0, 1);
    await expect(stream.ask({ ...SEE, until: ['A'], timeout_ms: 300 }).answer).rejects.toMatchObject({
      code: 'expired',
    });
    await stream.close();
  });

  it('ends with the session, and when it is cancelled', async () => {
    samples(['B', 'B', 'B', 'B']);
    const stream = await open();
    await feed(stream, 0, 1);
    const ended = stream.ask({ ...SEE, until: ['A'] });
    const { handle: dropped, until } = await waits(stream, { ...SEE, until: ['A'] });
    await until(1);
    dropped.cancel();
    await expect(dropped.answer).rejects.toMatchObject({ code: 'cancelled' });
    await stream.close();
    await expect(ended.answer).rejects.toMatchObject({ code: 'session_closed' });
  });

  it('is silent about completions that cannot be read', async () => {
    samples(['', '', '', '']);
    const stream = await open();
    await feed(stream, 0, 1);
    const { handle, told, until } = await waits(stream, SEE);
    await until(1);
    expect(told).toEqual([{ decision: 'wait', candidate: null, confidence: 0 }]);
    await stream.close();
    await expect(handle.answer).rejects.toMatchObject({ code: 'session_closed' });
  });
});
