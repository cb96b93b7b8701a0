import { SaccadeError } from '../../../errors/saccade-error.js';

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
  const activation = source.text('hidden_act', 'silu');
  if (activation !== 'silu')
    throw unsupported('hidden_act', `The activation ${activation} is not supported, only silu.`);
  const hiddenSize = source.count('hidden_size');
  const heads = source.count('num_attention_heads');
  const kvHeads = source.count('num_key_value_heads', heads);
  if (heads % kvHeads !== 0)
    throw unsupported(
      'num_key_value_heads',
      `${heads} heads cannot be shared by ${kvHeads} key-value heads.`,
    );
  return {
    architecture,
    vocabSize: source.count('vocab_size'),
    hiddenSize,
    layers: source.count('num_hidden_layers'),
    heads,
    kvHeads,
    headDim: source.count('head_dim', hiddenSize / heads),
    intermediateSize: source.count('intermediate_size'),
    maxPositions: source.count('max_position_embeddings'),
    ropeTheta: source.number('rope_theta', 10_000),
    ropeScaling: parseScaling(source),
    rmsEpsilon: source.number('rms_norm_eps', 1e-6),
    tiedHead: source.flag('tie_word_embeddings', false),
    qkvBias: source.flag('attention_bias', architecture === 'qwen2'),
    qkNorm: architecture === 'qwen3',
  };
}

function parseScaling(source: ConfigReader): Llama3Scaling | null {
  const scaling = source.section('rope_scaling');
  if (scaling === null) return null;
  const type = scaling.text('rope_type', scaling.text('type', 'default'));
  if (type === 'default') return null;
  if (type !== 'llama3')
    throw unsupported('rope_scaling', `The rope scaling ${type} is not supported, only llama3.`);
  return {
    factor: scaling.number('factor'),
    lowFrequencyFactor: scaling.number('low_freq_factor'),
    highFrequencyFactor: scaling.number('high_freq_factor'),
    originalPositions: scaling.count('original_max_position_embeddings'),
  };
}

function unsupported(field: string, message: string): SaccadeError {
  return new SaccadeError('unsupported', 'unsupported_model', message, { field });
}

/** Typed look-ups in untrusted JSON. */
class ConfigReader {
  private readonly values: Map<string, unknown>;

  constructor(json: unknown) {
    if (json === null || typeof json !== 'object')
      throw unsupported('config.json', 'config.json is not a JSON object.');
    this.values = new Map(Object.entries(json));
  }

  number(key: string, fallback?: number): number {
    const value = this.values.get(key) ?? fallback;
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw unsupported(key, `config.json needs a number for ${key}.`);
    return value;
  }

  count(key: string, fallback?: number): number {
    const value = this.number(key, fallback);
    if (!Number.isInteger(value) || value < 1)
      throw unsupported(key, `config.json needs a whole number of at least 1 for ${key}, not ${value}.`);
    return value;
  }

  text(key: string, fallback: string): string {
    const value = this.values.get(key) ?? fallback;
    return String(value);
  }

  flag(key: string, fallback: boolean): boolean {
    return Boolean(this.values.get(key) ?? fallback);
  }

  list(key: string): unknown[] {
    const value = this.values.get(key);
    return Array.isArray(value) ? value : [];
  }

  section(key: string): ConfigReader | null {
    const value = this.values.get(key);
    return value === undefined || value === null ? null : new ConfigReader(value);
  }
}
