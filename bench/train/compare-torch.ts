import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { parseDecoderConfig } from '../../src/lm/onnx/models/decoder-config.js';
import { initialiseWeights } from '../../src/lm/onnx/models/weights.js';
import { SupervisedBatch, SupervisedTrainer } from '../../src/lm/onnx/training/supervised-trainer.js';

/**
 * Whole training steps, ours and torch's, one after the other in turn, so that both meet the same machine. Needs
 * Debian's python3-torch. Runs from the compiled tree: `node dist/bench/train/compare-torch.js`.
 */
const { values } = parseArgs({
  options: {
    layers: { type: 'string', default: '5' },
    batch: { type: 'string', default: '16' },
    length: { type: 'string', default: '320' },
    threads: { type: 'string', default: '2' },
    steps: { type: 'string', default: '10' },
  },
});
const shape = {
  hidden: 192,
  layers: Number(values.layers),
  heads: 6,
  kvHeads: 2,
  headDim: 32,
  inner: 512,
  vocabulary: 1500,
  batch: Number(values.batch),
  length: Number(values.length),
  threads: Number(values.threads),
};
const WARM_UP_STEPS = 2;

const config = parseDecoderConfig({
  architectures: ['Qwen3ForCausalLM'],
  vocab_size: shape.vocabulary,
  hidden_size: shape.hidden,
  num_hidden_layers: shape.layers,
  num_attention_heads: shape.heads,
  num_key_value_heads: shape.kvHeads,
  head_dim: shape.headDim,
  intermediate_size: shape.inner,
  max_position_embeddings: 1024,
  tie_word_embeddings: true,
});
const weights = initialiseWeights(config, 1);
const parameters = [...weights.values()].reduce((sum, { data }) => sum + data.length, 0);
const trainer = await SupervisedTrainer.create(config, weights, {
  schedule: { peak: 1e-4, warmUp: 0, floor: 1, totalSteps: 100 },
  beta1: 0.9,
  beta2: 0.999,
  epsilon: 1e-8,
  weightDecay: 0.1,
  gradientClip: 1,
  threads: shape.threads,
});

const count = shape.batch * shape.length;
const tokenAt = (i: number) => (i * 7919 + ((i * i) % 977)) % shape.vocabulary;
const batch: SupervisedBatch = {
  inputIds: Int32Array.from({ length: count }, (_, i) => tokenAt(i)),
  targetIds: Int32Array.from({ length: count }, (_, i) => tokenAt(i + 1)),
  lossWeights: new Float32Array(count).fill(1),
  batch: shape.batch,
  length: shape.length,
};

const script = new URL('../../../bench/train/torch_step.py', import.meta.url).pathname;
const torch = spawn('/usr/bin/python3', [script, JSON.stringify(shape)], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
const answers = createInterface({ input: torch.stdout })[Symbol.asyncIterator]();
const answer = async () => String((await answers.next()).value);
const ready = await answer();
if (ready !== `ready ${parameters}`)
  throw new Error(`torch's model differs: ${ready}, ours has ${parameters} parameters.`);

const ours: number[] = [];
const theirs: number[] = [];
for (let step = 0; step < WARM_UP_STEPS + Number(values.steps); step++) {
  const start = performance.now();
  await trainer.step(batch);
  const ourMs = performance.now() - start;
  torch.stdin.write('step\n');
  const theirMs = Number(await answer());
  if (step < WARM_UP_STEPS) continue;
  ours.push(ourMs);
  theirs.push(theirMs);
}
torch.stdin.end();
await once(torch, 'exit');
await trainer.close();

const median = (numbers: number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
console.log(
  JSON.stringify({
    shape,
    parameters,
    step_s: median(ours) / 1000,
    tokens_per_s: Math.round((count / median(ours)) * 1000),
    torch_step_s: median(theirs) / 1000,
    fastest_s: [Math.min(...ours) / 1000, Math.min(...theirs) / 1000],
    ratio_torch: median(theirs.map((ms, i) => ms / ours[i]!)),
  }),
);
