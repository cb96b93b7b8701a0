import { DecoderConfig } from '../../src/lm/onnx/models/decoder-config.js';
import { SupervisedOptions } from '../../src/lm/onnx/training/supervised-trainer.js';
import { WalkOptions } from '../simulator/walk.js';

/** Everything that decides what the shipped policy becomes. The same recipe gives the same files. */
export const SEED = 20261201;

export const VOCABULARY = 1200;

export const SHAPE: Omit<DecoderConfig, 'vocabSize'> = {
  architecture: 'qwen3',
  hiddenSize: 128,
  layers: 4,
  heads: 4,
  kvHeads: 2,
  headDim: 32,
  intermediateSize: 384,
  maxPositions: 2048,
  ropeTheta: 10_000,
  ropeScaling: null,
  rmsEpsilon: 1e-6,
  tiedHead: true,
  qkvBias: false,
  qkNorm: true,
};

const NOISE = { missed: 0.1, colourless: 0.1 };
/** What the policy is scored on. */
export const WALK: WalkOptions = { minKeyframes: 3, maxKeyframes: 10, noise: NOISE };
/** Short walks come first: with few percepts the model finds out sooner that it has to look things up. */
const SHORT_WALK: WalkOptions = { minKeyframes: 2, maxKeyframes: 4, noise: NOISE };
/** Some walks are as long as a finished video may be. */
const LONG_WALK: WalkOptions = { minKeyframes: 10, maxKeyframes: 32, noise: NOISE };

/** Walk of training item `index`, `progress` in [0, 1) through the training. */
export function walkAt(progress: number, index: number): WalkOptions {
  if (progress < 0.3) return SHORT_WALK;
  return index % 12 === 0 ? LONG_WALK : index % 4 === 0 ? SHORT_WALK : WALK;
}

/** Small batches and many steps: what a model of this size lacks is updates, not data. */
export const TOKENS_PER_BATCH = 2048;
export const STEPS = 8000;
/** The prompt teaches how percepts look; the completion is what counts. */
export const PROMPT_WEIGHT = 0.2;

export const OPTIMISER: Omit<SupervisedOptions, 'schedule' | 'threads'> = {
  beta1: 0.9,
  beta2: 0.98,
  epsilon: 1e-8,
  weightDecay: 0.05,
  gradientClip: 1,
};
export const PEAK_LEARNING_RATE = 2e-3;
