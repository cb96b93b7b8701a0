import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDecoderConfig } from '../../src/lm/onnx/models/decoder-config.js';
import { initialiseWeights, Weights } from '../../src/lm/onnx/models/weights.js';
import { writeSafetensors } from '../../src/lm/onnx/weights/safetensors-writer.js';
import { tinyTokenizer, tinyTokenizerConfig, TINY_VOCABULARY } from './tiny-tokenizer.js';

/** Hugging Face config.json of a decoder that runs in a blink. */
export const tinyConfigJson: Readonly<Record<string, unknown>> = {
  architectures: ['Qwen3ForCausalLM'],
  model_type: 'qwen3',
  vocab_size: TINY_VOCABULARY,
  hidden_size: 32,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 8,
  intermediate_size: 64,
  max_position_embeddings: 256,
  rope_theta: 10000,
  rms_norm_eps: 1e-6,
  hidden_act: 'silu',
  tie_word_embeddings: true,
};

export interface TinyModel {
  directory: string;
  weights: Weights;
  remove(): Promise<void>;
}

export interface TinyModelOptions {
  config?: Record<string, unknown>;
  seed?: number;
  /**
   * Scales every matrix: fresh weights give nearly even probabilities, whose order rounding may change. Larger
   * ones make a model that is sure of itself.
   */
  sharpness?: number;
}

/** Writes a random model with a tokenizer and chat template to a temporary directory. */
export async function makeTinyModel(options: TinyModelOptions = {}): Promise<TinyModel> {
  const directory = await mkdtemp(join(tmpdir(), 'saccade-tiny-model-'));
  const config = { ...tinyConfigJson, ...options.config };
  const weights = initialiseWeights(parseDecoderConfig(config), options.seed ?? 1);
  const sharpness = options.sharpness ?? 12;
  for (const { dims, data } of weights.values())
    if (dims.length === 2) data.forEach((value, i) => (data[i] = value * sharpness));
  const json: Record<string, unknown> = {
    'config.json': config,
    'generation_config.json': { eos_token_id: [257, 256] },
    'tokenizer.json': tinyTokenizer(),
    'tokenizer_config.json': tinyTokenizerConfig,
  };
  for (const [name, value] of Object.entries(json))
    await writeFile(join(directory, name), JSON.stringify(value));
  await writeSafetensors(join(directory, 'model.safetensors'), weights);
  return { directory, weights, remove: () => rm(directory, { recursive: true, force: true }) };
}
