import { SupervisedTrainer } from '../../src/lm/onnx/training/supervised-trainer.js';
import { readModelDirectory } from '../../src/lm/onnx/weights/model-directory.js';
import { tokenizerCorpus } from './corpus.js';
import { initialPolicyWeights } from './initial-weights.js';
import { ADDED_TOKENS, writeModelFiles, writeModelWeights } from './policy-files.js';
import { OPTIMISER, PEAK_LEARNING_RATE, SEED, SHAPE, STEPS, VOCABULARY } from './recipe.js';
import { trainBpe } from './train-bpe.js';
import { trainingBatches } from './training-batches.js';

/** `npm run policy:train -- [folder] [steps]`: makes the shipped policy from nothing. */
const directory = process.argv[2] ?? 'models/tiny';
const totalSteps = Number(process.argv[3] ?? STEPS);
const REPORT_EVERY = 50;

const started = performance.now();
const bpe = trainBpe(tokenizerCorpus(), VOCABULARY - ADDED_TOKENS.length);
const config = { ...SHAPE, vocabSize: bpe.tokens.length + ADDED_TOKENS.length };
await writeModelFiles(directory, config, bpe);
const { tokenizer } = await readModelDirectory(directory);
const weights = initialPolicyWeights(config, SEED);
const parameters = [...weights.values()].reduce((sum, { data }) => sum + data.length, 0);
console.log(`${parameters} parameters, ${config.vocabSize} tokens, tokenizer in ${seconds(started)} s`);

const schedule = { peak: PEAK_LEARNING_RATE, warmUp: 0.04, floor: 0.02, totalSteps };
const trainer = await SupervisedTrainer.create(config, weights, { ...OPTIMISER, schedule, threads: 2 });
let step = 0;
let tokens = 0;
let lossSum = 0;
for (const batch of trainingBatches(tokenizer, () => step / totalSteps)) {
  if (step === totalSteps) break;
  const { loss, gradientNorm, learningRate } = await trainer.step(batch);
  step++;
  tokens += batch.batch * batch.length;
  lossSum += loss;
  if (step % REPORT_EVERY === 0) {
    const elapsed = (performance.now() - started) / 1000;
    const left = Math.round((elapsed / step) * (totalSteps - step));
    console.log(
      `step ${step}/${totalSteps}  loss ${(lossSum / REPORT_EVERY).toFixed(3)}  gradient ${gradientNorm.toFixed(2)}  ` +
        `rate ${learningRate.toExponential(1)}  ${Math.round(tokens / elapsed)} tokens/s  ${left} s left`,
    );
    lossSum = 0;
    if (step % (REPORT_EVERY * 10) === 0) await writeModelWeights(directory, weights);
  }
}
await writeModelWeights(directory, weights);
await trainer.close();
console.log(
  JSON.stringify({
    parameters,
    steps: step,
    tokens,
    skipped: trainer.skippedSteps,
    seconds: seconds(started),
  }),
);

function seconds(since: number): number {
  return Math.round((performance.now() - since) / 1000);
}
