import { afterEach, describe, expect, it } from 'vitest';
import { DecoderConfig, parseDecoderConfig } from '../../src/lm/onnx/models/decoder-config.js';
import { initialiseWeights, Weights } from '../../src/lm/onnx/models/weights.js';
import { SupervisedBatch, SupervisedTrainer } from '../../src/lm/onnx/training/supervised-trainer.js';
import { tinyConfigJson } from '../support/tiny-model.js';

const config: DecoderConfig = parseDecoderConfig({ ...tinyConfigJson, vocab_size: 12 });
const SEPARATOR = 10;
const PADDING = 11;

const options = {
  schedule: { peak: 1e-2, warmUp: 0.1, floor: 0.1, totalSteps: 150 },
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0.01,
  gradientClip: 1,
  threads: 1,
};

/** Three symbols, a separator, the symbols in reverse: only attention can tell what comes next. */
function reversals(seed: number, batch = 16): SupervisedBatch {
  const length = 8;
  const inputIds = new Int32Array(batch * length).fill(PADDING);
  const targetIds = new Int32Array(batch * length);
  const lossWeights = new Float32Array(batch * length);
  let state = seed * 7919 + 1;
  const symbol = () => (state = (state * 48_271) % 2_147_483_647) % 10;
  for (let row = 0; row < batch; row++) {
    const symbols = [symbol(), symbol(), symbol()];
    const text = [...symbols, SEPARATOR, ...symbols.toReversed()];
    for (let t = 0; t + 1 < text.length; t++) {
      inputIds[row * length + t] = text[t]!;
      targetIds[row * length + t] = text[t + 1]!;
      if (t >= 3) lossWeights[row * length + t] = 1;
    }
  }
  return { inputIds, targetIds, lossWeights, batch, length };
}

const copyOf = (weights: Weights) => [...weights.values()].map(({ data }) => data.slice());

describe('the supervised trainer', () => {
  let trainer: SupervisedTrainer;
  const make = async (weights = initialiseWeights(config, 3)) =>
    (trainer = await SupervisedTrainer.create(config, weights, options));

  afterEach(() => trainer.close());

  it('learns to turn symbols around, also ones it has not seen', async () => {
    await make();
    const held = reversals(1000, 64);
    const before = await trainer.evaluate(held);
    for (let step = 0; step < options.schedule.totalSteps; step++) await trainer.step(reversals(step, 32));
    const after = await trainer.evaluate(held);
    expect(before.loss).toBeGreaterThan(2);
    expect(after.loss).toBeLessThan(0.2);
    expect(after.tokens).toBe(64 * 3);
  });

  it('reports the loss that an evaluation before the step finds', async () => {
    await make();
    const batch = reversals(5);
    const { loss: expected } = await trainer.evaluate(batch);
    expect((await trainer.step(batch)).loss).toBeCloseTo(expected, 6);
  });

  it('comes to the same bits from the same start', async () => {
    const run = async () => {
      await make();
      for (let step = 0; step < 3; step++) await trainer.step(reversals(step));
      return copyOf(trainer.weights);
    };
    const first = await run();
    await trainer.close();
    expect(await run()).toEqual(first);
  });

  it('is not moved by what stands on padding or by the size of the padding', async () => {
    const narrow = reversals(9, 4);
    const length = narrow.length + 5;
    const wide: SupervisedBatch = {
      inputIds: new Int32Array(4 * length).fill(7),
      targetIds: new Int32Array(4 * length),
      lossWeights: new Float32Array(4 * length),
      batch: 4,
      length,
    };
    for (const key of ['inputIds', 'targetIds', 'lossWeights'] as const)
      for (let row = 0; row < 4; row++)
        wide[key].set(narrow[key].subarray(row * narrow.length, row * narrow.length + 6), row * length);
    await make();
    const plain = await trainer.step(narrow);
    await trainer.close();
    await make();
    const padded = await trainer.step(wide);
    expect(padded.loss).toBeCloseTo(plain.loss, 6);
    expect(padded.gradientNorm).toBeCloseTo(plain.gradientNorm, 5);
  });

  it('skips a step whose loss is not finite and goes on unharmed', async () => {
    await make();
    await trainer.step(reversals(1));
    const before = copyOf(trainer.weights);
    const poisoned = reversals(2);
    poisoned.lossWeights[3] = NaN;
    expect(await trainer.step(poisoned)).toMatchObject({ skipped: true });
    expect(trainer.skippedSteps).toBe(1);
    expect(copyOf(trainer.weights)).toEqual(before);
    const next = await trainer.step(reversals(2));
    expect(next.skipped).toBe(false);
    expect(Number.isFinite(next.loss)).toBe(true);
    expect(copyOf(trainer.weights)).not.toEqual(before);
  });

  it('skips a batch from which there is nothing to learn', async () => {
    await make();
    const batch = reversals(1);
    batch.lossWeights.fill(0);
    expect(await trainer.step(batch)).toMatchObject({ skipped: true, loss: 0, tokens: 0 });
    expect(trainer.skippedSteps).toBe(1);
  });
});
