import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseDecoderConfig } from '../models/decoder-config.js';
import { initialiseLora, LoraShape } from '../models/lora.js';
import { initialiseWeights, Weights } from '../models/weights.js';
import { packGroups, TokenGroup } from './pack-groups.js';
import { TokenBatch, TrainingSession } from './training-session.js';

const config = parseDecoderConfig({
  architectures: ['Qwen3ForCausalLM'],
  vocab_size: 40,
  hidden_size: 16,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 4,
  intermediate_size: 24,
  max_position_embeddings: 64,
  tie_word_embeddings: true,
});
const lora: LoraShape = { rank: 2, alpha: 4, targets: ['q_proj', 'down_proj'] };
const weights = initialiseWeights(config, 3);
for (const { dims, data } of weights.values())
  if (dims.length === 2) data.forEach((value, i) => (data[i] = value * 10));

const groups: TokenGroup[] = [
  { prompt: [1, 2, 3, 4, 5], completions: [[6, 7, 8], [9], [6, 7, 8, 10]] },
  {
    prompt: [11, 12],
    completions: [
      [13, 14],
      [15, 16, 17],
    ],
  },
];

/** Each completion in a row of its own, as everybody does it. */
function separate(): TokenBatch {
  const all = groups.flatMap(({ prompt, completions }) =>
    completions.map((completion) => ({ prompt, completion })),
  );
  const length = Math.max(...all.map(({ prompt, completion }) => prompt.length + completion.length)) - 1;
  const inputIds = new Int32Array(all.length * length);
  const rows: number[] = [];
  const targets: number[] = [];
  all.forEach(({ prompt, completion }, i) => {
    inputIds.set([...prompt, ...completion].slice(0, -1), i * length);
    completion.forEach((token, t) => {
      rows.push(i * length + prompt.length - 1 + t);
      targets.push(token);
    });
  });
  return {
    inputIds,
    batch: all.length,
    length,
    rows: Int32Array.from(rows),
    targets: Int32Array.from(targets),
  };
}

const near = (a: Float32Array, b: Float32Array, name: string) => {
  expect(a.length).toBe(b.length);
  const scale = Math.max(1e-3, ...b.map(Math.abs));
  a.forEach((value, i) => expect(Math.abs(value - b[i]!) / scale, `${name}[${i}]`).toBeLessThan(2e-5));
};

const sessions: TrainingSession[] = [];
async function open(withLora: boolean, withGradients: boolean): Promise<TrainingSession> {
  const session = await TrainingSession.create(config, {
    threads: 1,
    withGradients,
    lora: withLora ? lora : null,
  });
  sessions.push(session);
  return session;
}
afterAll(() => Promise.all(sessions.map((session) => session.close())));

let adapter: Weights;
beforeAll(() => {
  adapter = initialiseLora(config, lora, 5);
  for (const { data } of adapter.values()) data.forEach((value, i) => (data[i] = value + 0.1 * Math.sin(i)));
});

it('gives the log-probabilities and gradients of separate sequences', async () => {
  const session = await open(false, true);
  const apart = separate();
  const together = packGroups(groups);
  expect([...together.targets]).toEqual([...apart.targets]);
  const tokenGradient = Float32Array.from(apart.rows, (_, i) => Math.cos(i));
  const expected = await session.run(weights, apart, tokenGradient);
  const packed = await session.run(weights, together, tokenGradient);
  near(packed.logprobs, expected.logprobs, 'logprobs');
  for (const [name, gradient] of packed.gradients) near(gradient, expected.gradients.get(name)!, name);
});

it('scores as it trains, and tells the entropy', async () => {
  const scorer = await open(false, false);
  const { logprobs, entropies } = await scorer.score(weights, packGroups(groups));
  const { logprobs: trained } = await sessions[0]!.run(
    weights,
    packGroups(groups),
    new Float32Array(logprobs.length),
  );
  near(logprobs, trained, 'logprobs');
  entropies.forEach((entropy) => {
    expect(entropy).toBeGreaterThan(0);
    expect(entropy).toBeLessThan(Math.log(config.vocabSize));
  });
});

it('trains an adapter alone, whose gradient finite differences confirm', async () => {
  const session = await open(true, true);
  const batch = packGroups(groups);
  const tokenGradient = Float32Array.from(batch.rows, (_, i) => Math.sin(i + 1));
  const loss = async () => {
    const { logprobs } = await session.run(new Map([...weights, ...adapter]), batch, tokenGradient);
    return logprobs.reduce((sum, logprob, i) => sum + logprob * tokenGradient[i]!, 0);
  };
  const { gradients } = await session.run(new Map([...weights, ...adapter]), batch, tokenGradient);
  expect([...gradients.keys()].sort()).toEqual([...adapter.keys()].sort());
  expect(gradients.size).toBe(8);
  for (const [name, gradient] of gradients) {
    const { data } = adapter.get(name)!;
    const direction = Float32Array.from(data, (_, i) => Math.cos(3 * i + name.length));
    const h = 2e-3;
    const moved = async (by: number) => {
      const before = data.slice();
      data.forEach((value, i) => (data[i] = value + by * direction[i]!));
      const at = await loss();
      data.set(before);
      return at;
    };
    const numeric = ((await moved(h)) - (await moved(-h))) / (2 * h);
    const analytic = gradient.reduce((sum, value, i) => sum + value * direction[i]!, 0);
    expect(Math.abs(analytic - numeric) / Math.max(0.05, Math.abs(numeric)), name).toBeLessThan(0.02);
  }
});

it('has an adapter that changes nothing as long as B is zero', async () => {
  const plain = await sessions[1]!.score(weights, packGroups(groups));
  const withAdapter = await open(true, false);
  const { logprobs } = await withAdapter.score(
    new Map([...weights, ...initialiseLora(config, lora, 1)]),
    packGroups(groups),
  );
  near(logprobs, plain.logprobs, 'logprobs');
});
