import { SaccadeError } from '../../../errors/saccade-error.js';
import { expectedWeights } from '../models/weights.js';
import { buildDecodeGraph } from '../models/decode-graph.js';
import { ChatTokenizer } from '../tokenizer/chat-tokenizer.js';
import { readModelDirectory } from '../weights/model-directory.js';
import { readModelWeights } from '../weights/model-weights.js';
import { DecodeEngine } from './decode-engine.js';
import { PolicySource } from './decode-messages.js';
import { ModelRunner } from './model-runner.js';

/** One version of the policy, ready to decode. */
export interface LoadedPolicy {
  tokenizer: ChatTokenizer;
  engine: DecodeEngine;
  contextLength: number;
  release(): Promise<void>;
}

// The graph holds its weights, and a protobuf message cannot reach 2 GiB; 64 MiB are left for the rest of it.
const MAX_WEIGHT_BYTES = 2 ** 31 - 2 ** 26;

/** Reads a Hugging Face directory and makes it ready to decode. */
export async function loadPolicy(source: PolicySource): Promise<LoadedPolicy> {
  const { config, tokenizer } = await readModelDirectory(source.directory);
  const expected = expectedWeights(config);
  const bytes = [...expected.values()].reduce((sum, dims) => sum + 4 * dims.reduce((a, b) => a * b, 1), 0);
  if (bytes > MAX_WEIGHT_BYTES)
    throw new SaccadeError(
      'unsupported',
      'model_too_large',
      `The model in ${source.directory} takes ${bytes} bytes as float32; at most ${MAX_WEIGHT_BYTES} can be run here. Serve it with vLLM and set LM_BACKEND=openai.`,
      { limit: MAX_WEIGHT_BYTES },
    );
  const weights = await readModelWeights(source.directory, expected);
  const shape = { layers: config.layers, kvHeads: config.kvHeads, headDim: config.headDim };
  const runner = await ModelRunner.create(buildDecodeGraph(config, weights).model, { ...source, shape });
  const contextLength = Math.min(config.maxPositions, source.maxContextLength ?? Infinity);
  const engine = new DecodeEngine({
    ...source,
    runner,
    shape,
    tokenizer,
    contextLength,
    vocabularySize: config.vocabSize,
  });
  return { tokenizer, engine, contextLength, release: () => runner.release() };
}
