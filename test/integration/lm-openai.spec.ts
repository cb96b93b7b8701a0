import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GenerationRequest, SamplingParams } from '../../src/lm/language-model.js';
import {
  OpenAiLanguageModel,
  OpenAiLanguageModelOptions,
} from '../../src/lm/openai/openai-language-model.js';
import { answer, FakeReply, FakeToken, tooManyRequests } from '../support/fake-openai-replies.js';
import { FakeOpenAiOptions, FakeOpenAiServer } from '../support/fake-openai-server.js';

const KEY = 'sk-test-0123456789abcdef';
const TOKENS: FakeToken[] = [
  { id: 5, text: '<think>x</think>', logprob: -0.5 },
  { id: 6, text: '<answer>C', logprob: -0.25 },
  { id: 7, text: '</answer>', logprob: -0.125 },
  { id: 2, text: '', logprob: -0.0625 },
];
const CONTENT = TOKENS.map(({ text }) => text).join('');
const EXTENSIONS = ['return_token_ids', 'top_k', 'min_p', 'repetition_penalty'];

function ask(
  sampling: Partial<SamplingParams> = {},
  more: Partial<GenerationRequest> = {},
): GenerationRequest {
  return {
    messages: [
      { role: 'system', content: 'Think first.' },
      { role: 'user', content: 'Left or right?' },
    ],
    sampling: { maxTokens: 64, temperature: 1, topP: 1, stop: [], ...sampling },
    n: 1,
    signal: new AbortController().signal,
    ...more,
  };
}

describe('the OpenAI-compatible language model', () => {
  let server: FakeOpenAiServer;
  let model: OpenAiLanguageModel;
  let waits: number[];

  async function connect(
    options: Partial<OpenAiLanguageModelOptions> = {},
    fake: FakeOpenAiOptions = {},
  ): Promise<void> {
    server = new FakeOpenAiServer(fake);
    const { baseUrl } = await server.start();
    waits = [];
    const wait = (ms: number): Promise<void> => Promise.resolve(void waits.push(ms));
    model = new OpenAiLanguageModel({
      baseUrl,
      model: 'fake-model',
      apiKey: KEY,
      wait,
      ...options,
    });
  }

  beforeEach(() => connect());

  afterEach(async () => {
    await model.close();
    await server.stop();
  });

  describe('asks', () => {
    it('with every sampling parameter spelled out', async () => {
      await model.generate(ask({ temperature: 0.7, topP: 0.9, seed: 5, stop: ['</answer>'] }, { n: 1 }));
      expect(server.requests[0].body).toEqual({
        model: 'fake-model',
        messages: [
          { role: 'system', content: 'Think first.' },
          { role: 'user', content: 'Left or right?' },
        ],
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 64,
        temperature: 0.7,
        top_p: 0.9,
        seed: 5,
        stop: ['</answer>'],
        logprobs: true,
        top_logprobs: 0,
        return_token_ids: true,
        top_k: -1,
        min_p: 0,
        repetition_penalty: 1,
      });
      expect(server.requests[0].headers.authorization).toBe(`Bearer ${KEY}`);
    });

    it('for several completions at once and keeps them apart', async () => {
      server.script(() => ({
        kind: 'answer',
        choices: ['left', 'right', 'front'].map((content) => ({ content })),
        chunkCharacters: 2,
      }));
      const pieces = ['', '', ''];
      const { completions } = await model.generate(
        ask({}, { n: 3, onDelta: (index, text) => (pieces[index] += text) }),
      );
      expect(server.requests[0].body.n).toBe(3);
      expect(completions.map(({ text }) => text)).toEqual(['left', 'right', 'front']);
      expect(pieces).toEqual(['left', 'right', 'front']);
    });
  });

  describe('understands', () => {
    it('token ids and log-probabilities where the server tells them', async () => {
      server.script(() => ({
        kind: 'answer',
        choices: [{ content: CONTENT, tokens: TOKENS }],
        promptTokenIds: [1, 9, 9],
      }));
      expect(await model.generate(ask())).toEqual({
        policyVersion: 'fake-model',
        promptTokenIds: [1, 9, 9],
        completions: [
          {
            text: CONTENT,
            tokenIds: [5, 6, 7, 2],
            logprobs: [-0.5, -0.25, -0.125, -0.0625],
            finishReason: 'stop',
          },
        ],
        usage: { promptTokens: 3, completionTokens: 4 },
      });
    });

    it('a server that tells neither', async () => {
      server.script(() => answer('left', { finishReason: 'length' }));
      const { promptTokenIds, completions } = await model.generate(ask());
      expect(promptTokenIds).toBeNull();
      expect(completions).toEqual([{ text: 'left', tokenIds: null, logprobs: null, finishReason: 'length' }]);
    });

    it('that raw log-probabilities are not those of another temperature', async () => {
      server.script(() => answer(CONTENT, { tokens: TOKENS }));
      expect((await model.generate(ask({ temperature: 0.5 }))).completions[0]).toMatchObject({
        tokenIds: [5, 6, 7, 2],
        logprobs: null,
      });
      expect((await model.generate(ask({ temperature: 0 }))).completions[0].logprobs).toHaveLength(4);
    });

    it('processed log-probabilities unless top-p was applied to them', async () => {
      await server.stop();
      await connect({ logprobsMode: 'processed' });
      server.script(() => answer(CONTENT, { tokens: TOKENS }));
      expect((await model.generate(ask({ temperature: 0.5 }))).completions[0].logprobs).toHaveLength(4);
      expect((await model.generate(ask({ topP: 0.9 }))).completions[0].logprobs).toBeNull();
    });

    it.each(['reasoning_content', 'reasoning'] as const)(
      'thinking that the server split off as %s',
      async (reasoningField) => {
        server.script(() => answer('<answer>C</answer>', { reasoning: 'I turned twice.', reasoningField }));
        let streamed = '';
        const { completions } = await model.generate(ask({}, { onDelta: (_, text) => (streamed += text) }));
        expect(completions[0].text).toBe('<think>I turned twice.</think><answer>C</answer>');
        expect(streamed).toBe(completions[0].text);
      },
    );

    it('thinking that was cut off', async () => {
      server.script(() => answer('', { reasoning: 'I turned', finishReason: 'length' }));
      expect((await model.generate(ask())).completions[0].text).toBe('<think>I turned');
    });
  });

  describe('with a server that refuses fields', () => {
    it('leaves them out and remembers', async () => {
      await server.stop();
      await connect({}, { unknownFields: EXTENSIONS });
      expect((await model.generate(ask())).completions[0].text).toBe('ok');
      await model.generate(ask());
      const bodies = server.requests.map(({ body }) => EXTENSIONS.filter((field) => field in body).length);
      expect(bodies.at(-1)).toBe(0);
      expect(bodies.filter((count) => count === 0)).toHaveLength(2);
      expect(server.requests.at(-1)?.body.logprobs).toBe(true);
    });

    it('leaves all extensions out when the refusal names none', async () => {
      server.script(({ body }) =>
        'top_k' in body
          ? { kind: 'error', status: 422, message: 'Extra inputs are not permitted' }
          : answer('ok'),
      );
      await model.generate(ask());
      expect(server.requests).toHaveLength(2);
    });

    it('asks newer models with max_completion_tokens', async () => {
      server.script(({ body }) =>
        'max_tokens' in body
          ? { kind: 'error', status: 400, message: "Use 'max_completion_tokens' instead of 'max_tokens'." }
          : answer('ok'),
      );
      await model.generate(ask());
      expect(server.requests[1].body.max_completion_tokens).toBe(64);
    });

    it('does not forget token ids over a refusal that had another cause', async () => {
      const tooLong: FakeReply = {
        kind: 'error',
        status: 400,
        message: "This model's maximum context length is 4096 tokens.",
      };
      server.script(() => tooLong);
      await expect(model.generate(ask())).rejects.toMatchObject({
        fault: 'too_large',
        code: 'prompt_too_long',
        field: 'messages',
      });
      server.script(() => answer(CONTENT, { tokens: TOKENS }));
      expect((await model.generate(ask())).completions[0].tokenIds).toEqual([5, 6, 7, 2]);
    });
  });

  describe('tries again', () => {
    const failure = (status: number): FakeReply => ({ kind: 'error', status, message: 'Overloaded' });

    it.each([500, 503, 408])('after status %i', async (status) => {
      server.scriptSequence(failure(status), answer('ok'));
      expect((await model.generate(ask())).completions[0].text).toBe('ok');
      expect(waits).toHaveLength(1);
    });

    it('after the time that Retry-After asks for', async () => {
      server.scriptSequence(tooManyRequests(3), answer('ok'));
      await model.generate(ask());
      expect(waits).toEqual([3000]);
    });

    it('after a connection that dropped before the first piece', async () => {
      server.scriptSequence(
        { kind: 'drop' },
        { kind: 'answer', choices: [{ content: 'left' }], cutAfterEvents: 1 },
        answer('ok'),
      );
      expect((await model.generate(ask())).completions[0].text).toBe('ok');
    });

    it('ever later and not for ever', async () => {
      server.script(() => failure(503));
      await expect(model.generate(ask())).rejects.toMatchObject({
        fault: 'upstream',
        upstream: 'lm',
        code: 'lm_failed',
        retryable: true,
      });
      expect(server.requests).toHaveLength(3);
      expect(waits[1]).toBeGreaterThanOrEqual(waits[0]);
    });

    it('never once a piece was passed on', async () => {
      server.script(() => ({ kind: 'answer', choices: [{ content: 'left or right' }], cutAfterEvents: 3 }));
      let streamed = '';
      const cut = model.generate(ask({}, { onDelta: (_, text) => (streamed += text) }));
      await expect(cut).rejects.toMatchObject({ fault: 'upstream', upstream: 'lm' });
      expect(streamed).toBe('left or ');
      expect(server.requests).toHaveLength(1);
    });
  });

  describe('reports', () => {
    const upstream = (code: string): object =>
      expect.objectContaining({ fault: 'upstream', upstream: 'lm', code });

    it('a stream that ends in good order but too early', async () => {
      const chunk = {
        id: 'x',
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta: { content: 'le' }, finish_reason: null }],
      };
      server.script(() => ({ kind: 'sse', events: [chunk], done: false }));
      await expect(model.generate(ask())).rejects.toEqual(upstream('lm_stream_cut'));
    });

    it.each([
      ['a web page', { kind: 'garbage', body: '<html>Bad gateway</html>', contentType: 'text/html' }],
      ['events that are no JSON', { kind: 'sse', events: ['{"choices":[{"index":0,'] }],
      ['events that are no chunks', { kind: 'sse', events: [{ hello: 'world' }] }],
      [
        'a completion that was not asked for',
        { kind: 'sse', events: [{ choices: [{ index: 4, delta: { content: 'x' } }] }] },
      ],
      [
        'an error as an event',
        { kind: 'sse', events: [{ error: { message: 'CUDA out of memory', code: 500 } }] },
      ],
      ['a completion that was filtered', answer('left', { finishReason: 'content_filter' })],
      ['fewer completions than asked for', answer('left')],
    ] as [string, FakeReply][])('%s as a failure of the server', async (_, reply) => {
      server.script(() => reply);
      await expect(model.generate(ask({}, { n: 2 }))).rejects.toMatchObject({
        fault: 'upstream',
        upstream: 'lm',
      });
    });

    it('a refused key without repeating it', async () => {
      await server.stop();
      await connect({}, { apiKey: 'another' });
      server.script(() => answer('never'));
      await expect(model.generate(ask())).rejects.toEqual(upstream('lm_unauthorised'));
      await server.stop();
      await connect();
      server.script(() => ({
        kind: 'error',
        status: 400,
        message: `Incorrect API key provided: ${KEY}, sk-te***cdef.`,
      }));
      const error: Error = await model.generate(ask()).then(
        () => new Error('It worked.'),
        (reason: Error) => reason,
      );
      expect(error).toMatchObject({ code: 'lm_rejected' });
      expect(
        `${error.message} ${JSON.stringify(error)} ${String((error.cause as Error).message)}`,
      ).not.toMatch(/0123456789|sk-te/);
    });

    it('a server that is not there', async () => {
      await server.stop();
      await expect(model.generate(ask())).rejects.toEqual(upstream('lm_unreachable'));
      expect(waits).toHaveLength(2);
    });

    it('a model that is not there', async () => {
      await server.stop();
      await connect({}, { models: ['other'] });
      await expect(model.generate(ask())).rejects.toEqual(upstream('lm_model_missing'));
      await expect(model.check(new AbortController().signal)).rejects.toEqual(upstream('lm_model_missing'));
    });
  });

  describe('keeps to its bounds', () => {
    it.each([
      ['sends nothing', { kind: 'hang' }],
      ['stops half way', { kind: 'answer', choices: [{ content: 'left or right' }], hangAfterEvents: 3 }],
    ] as [string, FakeReply][])('gives up at the deadline when the server %s', async (_, reply) => {
      await server.stop();
      await connect({ timeoutMs: 150 });
      server.script(() => reply);
      await expect(model.generate(ask())).rejects.toMatchObject({
        fault: 'deadline',
        code: 'lm_deadline',
        limit: 150,
        upstream: 'lm',
      });
      expect(await server.requests[0].aborted).toBe(true);
    });

    it('hangs up when the caller goes away', async () => {
      server.script(() => ({ kind: 'answer', choices: [{ content: 'left or right' }], hangAfterEvents: 3 }));
      const abort = new AbortController();
      const running = model.generate(ask({}, { signal: abort.signal, onDelta: () => abort.abort() }));
      await expect(running).rejects.toMatchObject({ fault: 'cancelled' });
      expect(await server.requests[0].aborted).toBe(true);
    });

    it('waits out no backoff for a caller that went away', async () => {
      const abort = new AbortController();
      await server.stop();
      await connect({ wait: undefined });
      server.script(() => {
        setImmediate(() => abort.abort());
        return tooManyRequests(3600);
      });
      await expect(model.generate(ask({}, { signal: abort.signal }))).rejects.toMatchObject({
        fault: 'cancelled',
      });
    });

    it('sends no more at once than allowed and refuses what is too much', async () => {
      await server.stop();
      await connect({ maxConcurrent: 2, maxQueued: 3 });
      const results = await Promise.allSettled(
        Array.from({ length: 7 }, (_, i) => model.generate(ask({ seed: i }))),
      );
      expect(results.map(({ status }) => status)).toEqual([
        ...new Array<string>(5).fill('fulfilled'),
        'rejected',
        'rejected',
      ]);
      expect(results[6]).toMatchObject({ reason: { fault: 'overloaded', code: 'lm_queue_full' } });
      expect(server.peakInFlight).toBeLessThanOrEqual(2);
      expect(server.requests.map(({ body }) => body.seed).sort()).toEqual([0, 1, 2, 3, 4]);
    });

    it('lets a waiting caller leave the queue', async () => {
      await server.stop();
      await connect({ maxConcurrent: 1 });
      let release: (reply: FakeReply) => void = () => undefined;
      server.script(() => new Promise((resolve) => (release = resolve)));
      const abort = new AbortController();
      const first = model.generate(ask({}, { onDelta: () => undefined }));
      const second = model.generate(ask({}, { signal: abort.signal }));
      abort.abort();
      await expect(second).rejects.toMatchObject({ fault: 'cancelled' });
      while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
      release(answer('done'));
      expect((await first).completions[0].text).toBe('done');
      expect(server.requests).toHaveLength(1);
    });

    it('cancels what is running when it is closed', async () => {
      server.script(() => ({ kind: 'hang' }));
      const running = model.generate(ask());
      await model.close();
      await expect(running).rejects.toMatchObject({ fault: 'cancelled' });
    });

    it('checks that the server serves the model, and learns its context', async () => {
      await server.stop();
      await connect({}, { maxModelLength: 4096 });
      expect(model.contextLength).toBe(8192);
      await model.check(new AbortController().signal);
      expect(model.contextLength).toBe(4096);
    });
  });
});
