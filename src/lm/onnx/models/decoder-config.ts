import { ConfigReader, unsupported } from './config-reader.js';

export type Architecture = 'qwen2' | 'qwen3' | 'llama';

/** Llama 3's stretching of the slow rotary frequencies. */
export interface Llama3Scaling {
  factor: number;
  lowFrequencyFactor: number;
  highFrequencyFactor: number;
  originalPositions: number;
}

/** Shape of a decoder of the Qwen2, Qwen3 or Llama family. */
export interface DecoderConfig {
  architecture: Architecture;
  vocabSize: number;
  hiddenSize: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  intermediateSize: number;
  maxPositions: number;
  ropeTheta: number;
  ropeScaling: Llama3Scaling | null;
  rmsEpsilon: number;
  /** The output head is the embedding table. */
  tiedHead: boolean;
  /** Biases on the query, key and value projections. */
  qkvBias: boolean;
  /** RMS norm of each query and key head before the rotation. */
  qkNorm: boolean;
}

const ARCHITECTURES: Record<string, Architecture> = {
  Qwen2ForCausalLM: 'qwen2',
  Qwen3ForCausalLM: 'qwen3',
  LlamaForCausalLM: 'llama',
};

/**
 * Reads a Hugging Face config.json.
 * @throws SaccadeError unsupported, naming what this runtime does not know
 */
export function parseDecoderConfig(json: unknown): DecoderConfig {
  const source = new ConfigReader(json);
  const names = source.list('architectures');
  const architecture = names.map((name) => ARCHITECTURES[String(name)]).find((known) => known !== undefined);
  if (architecture === undefined) {
    throw unsupported(
      'architectures',
      `The model's architecture ${names.join(', ') || '(none)'} is not supported. Supported are ${Object.keys(ARCHITECTURES).join(', ')}.`,
    );
  }
  refuseUnknownParts(source, architecture);
  const hiddenSize = source.count('hidden_size');
  const heads = source.count('num_attention_heads');
  const kvHeads = source.count('num_key_value_heads', heads);
  if (heads % kvHeads !== 0)
    throw unsupported(
      'num_key_value_heads',
      `config.json is not sound: ${heads} heads cannot be shared by ${kvHeads} key-value heads.`,
    );
  // Qwen3's own default; its files always name it.
  const headDim = source.count('head_dim', architecture === 'qwen3' ? 128 : hiddenSize / heads);
  if (headDim % 2 !== 0)
    throw unsupported('head_dim', `Heads of an odd width (${headDim}) cannot be rotated.`);
  // transformers 5 gathers what concerns the rotation in one section.
  const rotation = source.section('rope_parameters') ?? source.section('rope_scaling');
  return {
    architecture,
    vocabSize: source.count('vocab_size'),
    hiddenSize,
    layers: source.count('num_hidden_layers'),
    heads,
    kvHeads,
    headDim,
    intermediateSize: source.count('intermediate_size'),
    maxPositions: source.count('max_position_embeddings'),
    ropeTheta: rotation?.optionalNumber('rope_theta') ?? source.number('rope_theta', 10_000),
    ropeScaling: rotation === null ? null : parseScaling(rotation),
    rmsEpsilon: source.number('rms_norm_eps', 1e-6),
    tiedHead: source.flag('tie_word_embeddings', false),
    qkvBias: architecture === 'qwen2',
    qkNorm: architecture === 'qwen3',
  };
}

/** A part that would be left out silently gives a model that talks nonsense, so each is refused by name. */
function refuseUnknownParts(source: ConfigReader, architecture: Architecture): void {
  const activation = source.text('hidden_act', 'silu');
  if (activation !== 'silu')
    throw unsupported('hidden_act', `The activation ${activation} is not supported, only silu.`);
  const flags = ['mlp_bias', 'use_sliding_window', ...(architecture === 'qwen2' ? [] : ['attention_bias'])];
  for (const flag of flags)
    if (source.flag(flag, false)) throw unsupported(flag, `Models with ${flag} are not supported.`);
  if (source.number('partial_rotary_factor', 1) !== 1)
    throw unsupported('partial_rotary_factor', 'Models that rotate a part of each head are not supported.');
  if (source.section('quantization_config') !== null)
    throw unsupported(
      'quantization_config',
      'Quantised checkpoints are not supported. Take the one in bfloat16, float16 or float32.',
    );
}

function parseScaling(section: ConfigReader): Llama3Scaling | null {
  const type = section.text('rope_type', section.text('type', 'default'));
  if (type === 'default') return null;
  if (type !== 'llama3')
    throw unsupported('rope_scaling', `The rope scaling ${type} is not supported, only llama3.`);
  return {
    factor: section.number('factor'),
    lowFrequencyFactor: section.number('low_freq_factor'),
    highFrequencyFactor: section.number('high_freq_factor'),
    originalPositions: section.count('original_max_position_embeddings'),
  };
}
