import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GenerationRequest, SamplingParams } from '../../src/lm/language-model.js';
import { emptyCache } from '../../src/lm/onnx/decode/kv-cache.js';
import { ModelRunner } from '../../src/lm/onnx/decode/model-runner.js';
import { buildDecodeGraph } from '../../src/lm/onnx/models/decode-graph.js';
import { parseDecoderConfig } from '../../src/lm/onnx/models/decoder-config.js';
import { OnnxLanguageModel } from '../../src/lm/onnx/onnx-language-model.js';
import { makeTinyModel, tinyConfigJson, TinyModel } from '../support/tiny-model.js';

const QUESTION = 'Observe: red chair ahead. Question: is the chair left or right?';

function ask(
  content: string,
  sampling: Partial<SamplingParams> = {},
  more: Partial<GenerationRequest> = {},
): GenerationRequest {
  return {
    messages: [{ role: 'user', content }],
    sampling: { maxTokens: 24, temperature: 1, topP: 1, seed: 7, stop: [], ...sampling },
    n: 1,
    signal: new AbortController().signal,
    ...more,
  };
}

describe('the onnx language model', () => {
  let tiny: TinyModel;
  let model: OnnxLanguageModel;

  beforeAll(async () => {
    tiny = await makeTinyModel();
    model = await OnnxLanguageModel.load({
      directory: tiny.directory,
      maxConcurrentSequences: 8,
      prefillChunkTokens: 16,
    });
  });

  afterAll(async () => {
    await model.close();
    await tiny.remove();
  });

  it('decodes greedily what a full forward pass without a cache finds likeliest', async () => {
    const { promptTokenIds, completions } = await model.generate(ask(QUESTION, { temperature: 0 }));
    const config = parseDecoderConfig(tinyConfigJson);
    const shape = { layers: config.layers, kvHeads: config.kvHeads, headDim: config.headDim };
    const runner = await ModelRunner.create(buildDecodeGraph(config, tiny.weights).model, {
      shape,
      threads: 1,
      executionProvider: 'cpu',
    });
    const tokens = [...(promptTokenIds ?? [])];
    const expected: number[] = [];
    const logprobs: number[] = [];
    for (let i = 0; i < 24 && !expected.includes(257) && !expected.includes(256); i++) {
      const { logits } = await runner.step(emptyCache(shape, 1), tokens);
      const best = logits[0].indexOf(Math.max(...logits[0]));
      logprobs.push(-Math.log(logits[0].reduce((sum, logit) => sum + Math.exp(logit - logits[0][best]), 0)));
      expected.push(best);
      tokens.push(best);
    }
    await runner.release();
    expect(tokens.length).toBeGreaterThan(70);
    expect(completions[0].tokenIds).toEqual(expected);
    completions[0].logprobs?.forEach((logprob, i) => expect(logprob).toBeCloseTo(logprobs[i], 4));
  });

  it('samples the same completion for a seed, alone or in company', async () => {
    const alone = await model.generate(ask(QUESTION));
    const [first, ...others] = await Promise.all([
      model.generate(ask(QUESTION)),
      model.generate(
        ask('Something much longer to read before the answer can begin, so that rows differ in length.', {
          seed: 3,
        }),
      ),
      model.generate(ask('Short.', { seed: 11 }, { n: 3 })),
    ]);
    expect(first.completions).toMatchObject([
      { text: alone.completions[0].text, tokenIds: alone.completions[0].tokenIds },
    ]);
    expect(others.map(({ completions }) => completions.length)).toEqual([1, 3]);
  });

  it('gives the completions of one prompt streams of their own, each as if it ran by itself', async () => {
    const { completions } = await model.generate(ask(QUESTION, {}, { n: 4 }));
    expect(new Set(completions.map(({ text }) => text)).size).toBe(4);
    const [single] = (await model.generate(ask(QUESTION, {}, { n: 1 }))).completions;
    expect(single.tokenIds).toEqual(completions[0].tokenIds);
    single.logprobs?.forEach((logprob, i) =>
      expect(logprob).toBeCloseTo(completions[0].logprobs?.[i] ?? NaN, 4),
    );
  });

  it('runs more completions than fit side by side', async () => {
    const { completions, usage } = await model.generate(ask(QUESTION, {}, { n: 19 }));
    expect(completions).toHaveLength(19);
    expect(usage.completionTokens).toBe(
      completions.reduce((sum, { tokenIds }) => sum + (tokenIds?.length ?? 0), 0),
    );
    const again = await model.generate(ask(QUESTION, {}, { n: 2 }));
    expect(again.completions.map(({ tokenIds }) => tokenIds)).toEqual(
      completions.slice(0, 2).map(({ tokenIds }) => tokenIds),
    );
  });

  it('draws another completion when no seed is given', async () => {
    const [a, b] = await Promise.all([
      model.generate(ask(QUESTION, { seed: undefined })),
      model.generate(ask(QUESTION, { seed: undefined })),
    ]);
    expect(a.completions[0].tokenIds).not.toEqual(b.completions[0].tokenIds);
  });

  it('streams pieces that join to the text', async () => {
    const pieces = ['', '', ''];
    const { completions } = await model.generate(
      ask(QUESTION, {}, { n: 3, onDelta: (index, text) => (pieces[index] += text) }),
    );
    expect(pieces).toEqual(completions.map(({ text }) => text));
  });

  it('ends before a stop text wherever the tokens break, and keeps the tokens up to it', async () => {
    const [whole] = (await model.generate(ask(QUESTION))).completions;
    const stop = whole.text.slice(5, 8);
    const [stopped] = (await model.generate(ask(QUESTION, { stop: [stop] }))).completions;
    expect(stopped).toMatchObject({
      finishReason: 'stop',
      text: whole.text.slice(0, whole.text.indexOf(stop)),
    });
    const kept = stopped.tokenIds?.length ?? 0;
    expect(stopped.tokenIds).toEqual(whole.tokenIds?.slice(0, kept));
    expect(stopped.logprobs).toHaveLength(kept);
    expect(kept).toBeLessThan(whole.tokenIds?.length ?? 0);
  });

  it('ends at every end token the model names and keeps it as the last token', async () => {
    const { completions } = await model.generate(
      ask(QUESTION, { maxTokens: 150, temperature: 3 }, { n: 16 }),
    );
    const stopped = completions.filter(({ finishReason }) => finishReason === 'stop');
    const lasts = new Set(stopped.map(({ tokenIds }) => tokenIds?.at(-1)));
    expect([...lasts].sort()).toEqual([256, 257]);
    for (const { tokenIds, text } of stopped) {
      expect(tokenIds?.slice(0, -1).some((id) => id === 256 || id === 257)).toBe(false);
      expect(text).not.toContain('<|');
    }
  });

  it('stops at maxTokens and at the end of the context', async () => {
    const [short] = (await model.generate(ask(QUESTION, { maxTokens: 3, temperature: 0 }))).completions;
    expect(short).toMatchObject({ finishReason: 'length' });
    expect(short.tokenIds).toHaveLength(3);
    const { completions, usage } = await model.generate(
      ask('x'.repeat(200), { maxTokens: 500, temperature: 0 }),
    );
    expect(completions[0].finishReason).toBe('length');
    expect(usage.promptTokens + usage.completionTokens).toBe(model.contextLength);
  });

  it('refuses a prompt that leaves no room, with its size and the limit', async () => {
    await expect(model.generate(ask('x'.repeat(300)))).rejects.toMatchObject({
      fault: 'too_large',
      code: 'prompt_too_long',
      limit: 256,
      message: expect.stringMatching(/The prompt has 3\d\d tokens; the model's context holds 256/),
    });
  });

  it('stops a completion that is cancelled half way and goes on serving', async () => {
    const abort = new AbortController();
    let pieces = 0;
    const running = model.generate(
      ask(
        QUESTION,
        { maxTokens: 180, temperature: 0 },
        { signal: abort.signal, onDelta: () => ++pieces === 2 && abort.abort() },
      ),
    );
    await expect(running).rejects.toMatchObject({ fault: 'cancelled' });
    const seen = pieces;
    await model.generate(ask(QUESTION));
    expect(pieces).toBe(seen);
  });

  it('refuses sampling parameters that make no sense', async () => {
    await expect(model.generate(ask(QUESTION, { topP: 0 }))).rejects.toMatchObject({
      fault: 'input',
      field: 'top_p',
    });
    await expect(model.generate(ask(QUESTION, {}, { n: 0 }))).rejects.toMatchObject({ field: 'n' });
  });
});
