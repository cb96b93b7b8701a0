import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { VlmPerceiver, VlmPerceiverOptions } from '../../src/perception/openai/vlm-perceiver.js';
import { PerceptionInput } from '../../src/perception/perceiver.js';
import { answer, FakeReply, tooManyRequests } from '../support/fake-openai-replies.js';
import { FakeOpenAiOptions, FakeOpenAiServer, FakeRequest } from '../support/fake-openai-server.js';
import { plainKeyframe } from '../support/keyframe-images.js';

const VIEW = {
  action: 'move forward',
  objects: [{ name: 'chair', colour: 'red', bearing: 'left', distance: 'near', new: true }],
  gone: ['table'],
  description: 'A red chair stands by the door.',
};
const GOOD = answer(JSON.stringify(VIEW));
const KEY = 'sk-test-0123456789abcdef';

const first = await plainKeyframe(0, { r: 200, g: 40, b: 40 });
const second = await plainKeyframe(1, { r: 40, g: 40, b: 200 });
const firstView = (signal = new AbortController().signal): PerceptionInput => ({
  keyframe: first,
  previous: null,
  steps: [],
  signal,
});
const nextView = (signal = new AbortController().signal): PerceptionInput => ({
  keyframe: second,
  previous: {
    picture: first,
    percept: Promise.resolve({ text: '', actions: [], objects: [], gone: [], contradiction: null }),
  },
  steps: [],
  signal,
});

interface ImagePart {
  type: string;
  text?: string;
  image_url?: { url: string };
}

function partsOf({ body }: FakeRequest): ImagePart[] {
  return (body.messages as { role: string; content: ImagePart[] }[])[0]!.content;
}

/** The pictures that arrived, decoded: format, size and mean colour. */
async function picturesOf(
  request: FakeRequest,
): Promise<{ format: string; size: number[]; rgb: number[] }[]> {
  const urls = partsOf(request).flatMap(({ image_url }) => (image_url === undefined ? [] : [image_url.url]));
  return Promise.all(
    urls.map(async (url) => {
      const bytes = Buffer.from(/^data:image\/jpeg;base64,(.+)$/.exec(url)![1]!, 'base64');
      const { format, width, height } = await sharp(bytes).metadata();
      const { channels } = await sharp(bytes).stats();
      return { format, size: [width, height], rgb: channels.map(({ mean }) => Math.round(mean / 40) * 40) };
    }),
  );
}

describe('the vision-language perceiver', () => {
  let server: FakeOpenAiServer;
  let perceiver: VlmPerceiver;
  let waits: number[];

  async function connect(
    options: Partial<VlmPerceiverOptions> = {},
    fake: FakeOpenAiOptions = {},
  ): Promise<void> {
    server = new FakeOpenAiServer({ apiKey: KEY, ...fake });
    const { baseUrl } = await server.start();
    waits = [];
    perceiver = new VlmPerceiver({
      baseUrl,
      model: 'fake-model',
      apiKey: KEY,
      hfovDeg: 75,
      timeoutMs: 20_000,
      maxConcurrent: 4,
      wait: (ms) => Promise.resolve(void waits.push(ms)),
      ...options,
    });
    server.script(() => GOOD);
  }

  beforeEach(() => connect());
  afterEach(async () => {
    await perceiver.close();
    await server.stop();
  });

  it('sends the first view alone and asks for the scene, under a schema', async () => {
    const { percept, usage } = await perceiver.perceive(firstView());
    const [request] = server.requests;
    expect(await picturesOf(request!)).toEqual([{ format: 'jpeg', size: [160, 90], rgb: [200, 40, 40] }]);
    expect(partsOf(request!).at(-1)!.text).toMatch(/first view/);
    expect(request!.body).toMatchObject({
      model: 'fake-model',
      temperature: 0,
      response_format: { type: 'json_schema', json_schema: { strict: true } },
    });
    expect(percept).toMatchObject({
      actions: [],
      text: 'red chair on the left, near; gone: table. A red chair stands by the door.',
      contradiction: null,
    });
    expect(usage).toMatchObject({ calls: 1 });
    expect(usage.promptTokens).toBeGreaterThan(0);
  });

  it('sends a pair in order and asks what changed', async () => {
    const { percept } = await perceiver.perceive(nextView());
    const pictures = await picturesOf(server.requests[0]!);
    expect(pictures.map(({ rgb }) => rgb)).toEqual([[200, 40, 40], [40, 40, 200]]); // prettier-ignore
    expect(partsOf(server.requests[0]!).at(-1)!.text).toMatch(/earlier view.*move forward.*rotate left/s);
    expect(percept.actions).toEqual([{ action: 'move forward', degrees: null }]);
    expect(percept.objects[0]!.isNew).toBe(true);
  });

  it('asks about a question on demand, without schema and without an answer', async () => {
    server.script(() => answer('A red chair, on the left.\nIt is <b>near</b>.'));
    const signal = new AbortController().signal;
    const { text } = await perceiver.perceiveForQuestion(
      first,
      'Where is the chair?',
      ['left', 'right'],
      signal,
    );
    expect(text).toBe('A red chair, on the left. It is b near /b .');
    const { body } = server.requests[0]!;
    expect(body.response_format).toBeUndefined();
    expect(partsOf(server.requests[0]!).at(-1)!.text).toMatch(
      /Where is the chair\?.*"left", "right".*Do not answer/s,
    );
  });

  it('does without a schema where the server refuses one, and remembers', async () => {
    await server.stop();
    await connect({}, { unknownFields: ['response_format'] });
    await perceiver.perceive(firstView());
    await perceiver.perceive(firstView());
    expect(server.requests.map(({ body }) => 'response_format' in body)).toEqual([true, false, false]);
  });

  it('does without a schema for all that were under way when the server refused it', async () => {
    await server.stop();
    await connect({ maxRetries: 0 }, { unknownFields: ['response_format'] });
    await Promise.all([1, 2, 3].map(() => perceiver.perceive(firstView())));
    expect(server.requests).toHaveLength(6);
    expect(waits).toEqual([]);
  });

  it('waits as long as the server asks, then tries again', async () => {
    server.scriptSequence(tooManyRequests(3), GOOD);
    const { usage } = await perceiver.perceive(firstView());
    expect(waits).toEqual([3000]);
    expect(usage.calls).toBe(2);
  });

  it.each<[string, FakeReply]>([
    ['an overloaded server', { kind: 'error', status: 503, message: 'overloaded' }],
    ['a dropped connection', { kind: 'drop' }],
    ['an answer that was cut off', { kind: 'cut', body: '{"id": "cmpl-fake", "choices": [{"mess' }],
    ['bytes that are no JSON', { kind: 'garbage', body: '<html>' }],
    ['an answer that describes nothing', answer('I am sorry, I cannot see.')],
    ['an answer without content', { kind: 'json', body: { choices: [] } }],
  ])('tries again after %s, longer each time, and then says whose fault it was', async (_, reply) => {
    server.scriptSequence(reply, GOOD);
    expect((await perceiver.perceive(firstView())).percept.objects).toHaveLength(1);
    server.script(() => reply);
    await expect(perceiver.perceive(firstView())).rejects.toMatchObject({
      fault: 'upstream',
      upstream: 'vlm',
    });
    expect(server.requests).toHaveLength(2 + 4);
    expect(waits.slice(1)[2]!).toBeGreaterThan(waits.slice(1)[0]!);
  });

  it.each([401, 404])('does not try again after %i, and shows no key', async (status) => {
    server.script(() => ({ kind: 'error', status, message: `no: ${KEY}` }));
    const failure = await perceiver.perceive(firstView()).catch((error: Error) => error);
    expect(failure).toMatchObject({ fault: 'upstream', upstream: 'vlm' });
    expect((failure as Error).message).not.toContain(KEY);
    expect(server.requests).toHaveLength(1);
  });

  it('gives up at its deadline, naming the setting', async () => {
    await server.stop();
    await connect({ timeoutMs: 300 });
    server.script(() => ({ kind: 'hang' }));
    await expect(perceiver.perceive(firstView())).rejects.toMatchObject({
      fault: 'deadline',
      upstream: 'vlm',
      limit: 300,
      message: expect.stringContaining('PERCEPTION_TIMEOUT_MS'),
    });
  });

  it('gives each its whole time from its turn on', async () => {
    await server.stop();
    await connect({ timeoutMs: 1000, maxConcurrent: 1 });
    server.scriptSequence({ kind: 'hang' }, GOOD);
    const [late, next] = await Promise.allSettled([1, 2].map(() => perceiver.perceive(firstView())));
    expect(late).toMatchObject({ status: 'rejected', reason: { fault: 'deadline' } });
    expect(next).toMatchObject({ status: 'fulfilled' });
  });

  it('stops the request of a caller that goes away', async () => {
    const gone = new AbortController();
    const asked = new Promise<FakeRequest>((resolve) => {
      server.script((request): FakeReply => {
        resolve(request);
        return { kind: 'hang' };
      });
    });
    const perceiving = perceiver.perceive(firstView(gone.signal));
    const request = await asked;
    gone.abort();
    await expect(perceiving).rejects.toMatchObject({ fault: 'cancelled' });
    expect(await request.aborted).toBe(true);
  });

  it('asks no more at a time than it may', async () => {
    await server.stop();
    await connect({ maxConcurrent: 2 });
    let arrive: () => void;
    const another = new Promise<void>((resolve) => (arrive = resolve));
    server.script(async ({ index }) => {
      if (index === 0)
        await another; // so that there is a time with two
      else arrive();
      return GOOD;
    });
    await Promise.all(Array.from({ length: 7 }, () => perceiver.perceive(firstView())));
    expect([server.requests.length, server.peakInFlight]).toEqual([7, 2]);
  });
});
