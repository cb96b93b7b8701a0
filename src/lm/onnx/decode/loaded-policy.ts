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

/** Reads a Hugging Face directory and makes it ready to decode. */
export async function loadPolicy(source: PolicySource): Promise<LoadedPolicy> {
  const { config, tokenizer } = await readModelDirectory(source.directory);
  const weights = await readModelWeights(source.directory, expectedWeights(config));
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
