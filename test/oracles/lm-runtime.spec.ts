import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ChatMessage } from '../../src/lm/language-model.js';
import { OnnxLanguageModel } from '../../src/lm/onnx/onnx-language-model.js';
import { readModelDirectory } from '../../src/lm/onnx/weights/model-directory.js';

interface Expected {
  messages: ChatMessage[];
  promptTokenIds: number[];
  tokenIds: number[];
  logprobs: number[];
  text: string;
}

// Fixtures by lm-runtime.py: random weights in bf16, f16 and two f32 shards.
describe.each(['qwen3', 'qwen2', 'llama'])('a %s directory as transformers saves it', (name) => {
  const directory = fileURLToPath(new URL(`../fixtures/lm-runtime/${name}`, import.meta.url));
  const cases = JSON.parse(readFileSync(`${directory}/expected.json`, 'utf8')) as Expected[];

  it('tokenizes chats and detokenizes answers as transformers does', async () => {
    const { tokenizer } = await readModelDirectory(directory);
    for (const { messages, promptTokenIds, tokenIds, text } of cases) {
      expect(tokenizer.encodeChat(messages)).toEqual(promptTokenIds);
      expect(tokenizer.decode(tokenIds)).toBe(text);
    }
  });

  it('decodes greedily the tokens that transformers decodes, with its log-probabilities', async () => {
    const model = await OnnxLanguageModel.load({ directory, prefillChunkTokens: 32 });
    const signal = new AbortController().signal;
    const sampling = { maxTokens: 32, temperature: 0, topP: 1, stop: [] };
    const generations = await Promise.all(
      cases.map(({ messages }) => model.generate({ messages, sampling, n: 1, signal })),
    );
    await model.close();
    generations.forEach(({ promptTokenIds, completions: [completion] }, i) => {
      expect(promptTokenIds).toEqual(cases[i].promptTokenIds);
      expect(completion.tokenIds).toEqual(cases[i].tokenIds);
      expect(completion.text).toBe(cases[i].text);
      expect(completion.finishReason).toBe(cases[i].tokenIds.length < 32 ? 'stop' : 'length');
      completion.logprobs?.forEach((logprob, t) => expect(logprob).toBeCloseTo(cases[i].logprobs[t], 3));
    });
  });
});
