import { statSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';
import { OnnxLanguageModel } from '../../src/lm/onnx/onnx-language-model.js';
import { readModelDirectory } from '../../src/lm/onnx/weights/model-directory.js';
import { encodeExample } from '../../worlds/policy/training-batches.js';
import { WALK } from '../../worlds/policy/recipe.js';
import { scorePolicy } from '../../worlds/policy/score-policy.js';
import { promptOf, worldItem } from '../../worlds/questions/ask.js';
import { goldCompletion } from '../../worlds/questions/question.js';

const directory = join(packageRoot(), 'models', 'tiny');

describe('the shipped policy', () => {
  let model: OnnxLanguageModel;
  beforeAll(async () => {
    model = await OnnxLanguageModel.load({ directory, policyVersion: 'tiny', threads: 2 });
  });
  afterAll(() => model.close());

  it('is small', () => {
    const bytes = readdirSync(directory).reduce((sum, name) => sum + statSync(join(directory, name)).size, 0);
    expect(bytes).toBeLessThan(12_000_000);
  });

  it('answers held-out worlds clearly better than a guess, in the asked form, and not perfectly', async () => {
    const { accuracy, chance, formatOk, items } = await scorePolicy(model, 20, 0);
    // Three standard errors of the share above chance.
    expect(accuracy).toBeGreaterThan(chance + 3 * Math.sqrt(0.25 / items));
    expect(accuracy).toBeLessThan(0.95);
    expect(formatOk).toBeGreaterThan(0.95);
  });

  it('differs between samples, so that there is something to reinforce', async () => {
    const distinct = await Promise.all(
      [2, 5, 7].map(async (index) => {
        const { completions } = await model.generate({
          messages: promptOf(worldItem('heldout', index, WALK)),
          sampling: { maxTokens: 320, temperature: 1, topP: 1, seed: 3, stop: [] },
          n: 8,
          signal: new AbortController().signal,
        });
        return new Set(completions.map(({ text }) => text)).size;
      }),
    );
    expect(Math.max(...distinct)).toBeGreaterThan(2);
  });
});

describe('its tokenizer', () => {
  it.each([
    'Where is the naïve café?',
    '椅子は左にありますか',
    '🛋️ left of the 🪴?',
    'a\tb\n\nc  d',
    'ﷺ ‮x',
    'I’m—"here"…',
  ])('gives back %s', async (text) => {
    const { tokenizer } = await readModelDirectory(directory);
    expect(tokenizer.decode(tokenizer.encodeText(text))).toBe(text);
  });

  it('gives back what the policy is taught, and ends it with its end token', async () => {
    const { tokenizer } = await readModelDirectory(directory);
    for (let i = 0; i < 40; i++) {
      const item = worldItem('train', i, WALK);
      const { ids, promptLength } = encodeExample(tokenizer, item);
      expect(tokenizer.decode(ids.slice(promptLength))).toContain(goldCompletion(item.question));
      expect(tokenizer.endTokenIds.has(ids.at(-1)!)).toBe(true);
    }
  });
});
