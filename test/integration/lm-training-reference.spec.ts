import { readFileSync } from 'node:fs';
import ort from 'onnxruntime-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildDecodeGraph } from '../../src/lm/onnx/models/decode-graph.js';
import { DecoderConfig, parseDecoderConfig } from '../../src/lm/onnx/models/decoder-config.js';
import { expectedWeights, Weights } from '../../src/lm/onnx/models/weights.js';
import { TokenBatch, TrainingSession } from '../../src/lm/onnx/training/training-session.js';
import { readSafetensors } from '../../src/lm/onnx/weights/safetensors-reader.js';

// Written by test/oracles/lm/decoder_reference.py and transformers_reference.py
const fixture = (name: string) => new URL(`../fixtures/lm-graph/${name}`, import.meta.url);

interface Case {
  config: unknown;
  batch: number;
  length: number;
  input_ids: number[];
  rows: number[];
  targets: number[];
  token_gradient: number[];
}

/** ‖a − b‖ / ‖b‖ */
function relativeError(a: Float32Array, b: Float32Array): number {
  expect(a.length).toBe(b.length);
  const difference = Math.hypot(...a.map((value, i) => value - b[i]!));
  return difference / Math.max(Math.hypot(...b), 1e-12);
}

const largestDifference = (a: Float32Array, b: ArrayLike<number>) =>
  a.reduce((largest, value, i) => Math.max(largest, Math.abs(value - b[i]!)), 0);

describe.each(['qwen2', 'qwen3', 'llama'])('a %s model', (name) => {
  let config: DecoderConfig;
  let weights: Weights;
  let torch: Weights;
  let given: Case;
  let tokens: TokenBatch;
  let decoder: ort.InferenceSession;

  beforeAll(async () => {
    given = JSON.parse(readFileSync(fixture(`${name}.json`), 'utf8')) as Case;
    torch = await readSafetensors(fixture(`${name}.safetensors`).pathname);
    config = parseDecoderConfig(given.config);
    weights = new Map([...expectedWeights(config).keys()].map((key) => [key, torch.get(key)!]));
    tokens = {
      inputIds: Int32Array.from(given.input_ids),
      batch: given.batch,
      length: given.length,
      rows: Int32Array.from(given.rows),
      targets: Int32Array.from(given.targets),
    };
    decoder = await ort.InferenceSession.create(buildDecodeGraph(config, weights).model, {
      intraOpNumThreads: 1,
    });
  });

  afterAll(() => decoder.release());

  it('gives the log-probabilities and gradients that torch gives', async () => {
    const session = await TrainingSession.create(config, { threads: 1, withGradients: true, lora: null });
    const result = await session.run(weights, tokens, Float32Array.from(given.token_gradient));
    await session.close();
    expect(relativeError(result.logprobs, torch.get('logprobs')!.data)).toBeLessThan(1e-5);
    for (const [key, gradient] of result.gradients)
      expect(relativeError(gradient, torch.get(`grad.${key}`)!.data), key).toBeLessThan(1e-4);
    expect(result.gradients.size).toBe(weights.size);
  });

  it('decodes to the logits of torch, read in one piece or token by token behind padding', async () => {
    const expected = torch.get('logits')!.data;
    for (let row = 0; row < given.batch; row++) {
      const ids = given.input_ids.slice(row * given.length, (row + 1) * given.length);
      for (const [pieces, padding] of [
        [[given.length], 0],
        [[1, 4, 1, given.length - 6], 0],
        [ids.map(() => 1), 3],
      ] as const) {
        const logits = await decode(decoder, config, ids, pieces, padding);
        const at = (row * given.length + given.length - 1) * config.vocabSize;
        const reference = expected.subarray(at, at + config.vocabSize);
        expect(relativeError(logits, reference), `${pieces.join()} padding ${padding}`).toBeLessThan(1e-5);
      }
    }
  });

  it('gives the logits that transformers gives', async () => {
    const text = readFileSync(fixture('transformers.json'), 'utf8');
    const { logits } = (JSON.parse(text) as Record<string, { logits: number[] }>)[name]!;
    const ids = given.input_ids.slice(0, given.length);
    for (let end = 1; end <= given.length; end++) {
      const ours = await decode(decoder, config, ids.slice(0, end), [end], 0);
      const theirs = logits.slice((end - 1) * config.vocabSize, end * config.vocabSize);
      expect(largestDifference(ours, theirs)).toBeLessThan(1e-4);
    }
  });

  it('finds the same log-probabilities when it samples as when it trains', async () => {
    const scorer = await TrainingSession.create(config, { threads: 1, withGradients: false, lora: null });
    const { logprobs } = await scorer.score(weights, tokens);
    await scorer.close();
    for (const [i, position] of given.rows.entries()) {
      const start = position - (position % given.length);
      const ids = given.input_ids.slice(start, position + 1);
      const logits = await decode(
        decoder,
        config,
        ids,
        ids.map(() => 1),
        0,
      );
      const total = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
      expect(Math.abs(logits[given.targets[i]!]! - total - logprobs[i]!)).toBeLessThan(1e-4);
    }
  });
});

/** Logits after the last token, read in pieces of the given sizes, behind `padding` slots that must not be seen. */
async function decode(
  session: ort.InferenceSession,
  { layers, kvHeads, headDim }: DecoderConfig,
  ids: readonly number[],
  pieces: readonly number[],
  padding: number,
): Promise<Float32Array> {
  const names = Array.from({ length: layers }, (_, i) => [`keys.${i}`, `values.${i}`]).flat();
  // Padding holds large numbers, so that any leak shows.
  const filler = new Float32Array(kvHeads * padding * headDim).fill(50);
  let past = new Map(
    names.map((name) => [name, new ort.Tensor('float32', filler, [1, kvHeads, padding, headDim])]),
  );
  let done = 0;
  let logits = new Float32Array(0);
  for (const count of pieces) {
    const int64 = (values: number[], dims: number[]) =>
      new ort.Tensor('int64', BigInt64Array.from(values, BigInt), dims);
    const width = padding + done + count;
    const bias = new Float32Array(count * width);
    for (let t = 0; t < count; t++) {
      bias.fill(-1e9, t * width, t * width + padding);
      bias.fill(-1e9, t * width + padding + done + t + 1, (t + 1) * width);
    }
    const outputs = await session.run({
      input_ids: int64(ids.slice(done, done + count), [1, count]),
      position_ids: int64(
        Array.from({ length: count }, (_, t) => done + t),
        [1, count],
      ),
      attention_bias: new ort.Tensor('float32', bias, [1, 1, count, width]),
      last_index: int64([count - 1], [1]),
      ...Object.fromEntries([...past].map(([name, tensor]) => [`past_${name}`, tensor])),
    });
    past = new Map(names.map((name) => [name, outputs[`present_${name}`] as ort.TypedTensor<'float32'>]));
    logits = outputs['logits']!.data as Float32Array<ArrayBuffer>;
    done += count;
  }
  return logits;
}
