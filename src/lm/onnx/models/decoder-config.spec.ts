import { describe, expect, it } from 'vitest';
import { SaccadeError } from '../../../errors/saccade-error.js';
import { parseDecoderConfig } from './decoder-config.js';

const qwen2 = {
  architectures: ['Qwen2ForCausalLM'],
  vocab_size: 151_936,
  hidden_size: 896,
  num_hidden_layers: 24,
  num_attention_heads: 14,
  num_key_value_heads: 2,
  intermediate_size: 4864,
  max_position_embeddings: 32_768,
  rope_theta: 1_000_000.0,
  rms_norm_eps: 1e-6,
  hidden_act: 'silu',
  use_sliding_window: false,
  tie_word_embeddings: true,
};

describe('parseDecoderConfig', () => {
  it('reads a Qwen2.5 config', () => {
    expect(parseDecoderConfig(qwen2)).toMatchObject({
      architecture: 'qwen2',
      headDim: 64,
      kvHeads: 2,
      ropeTheta: 1_000_000,
      ropeScaling: null,
      tiedHead: true,
      qkvBias: true,
      qkNorm: false,
    });
  });

  it('reads a Qwen3 config whose heads are wider than its share of the hidden size', () => {
    const qwen3 = { ...qwen2, architectures: ['Qwen3ForCausalLM'], head_dim: 128, attention_bias: false };
    expect(parseDecoderConfig(qwen3)).toMatchObject({ headDim: 128, qkvBias: false, qkNorm: true });
  });

  it('reads a Llama 3 config with its rope scaling, and without num_key_value_heads', () => {
    const scaling = {
      rope_type: 'llama3',
      factor: 32.0,
      low_freq_factor: 1.0,
      high_freq_factor: 4.0,
      original_max_position_embeddings: 8192,
    };
    expect(
      parseDecoderConfig({
        ...qwen2,
        architectures: ['LlamaForCausalLM'],
        num_key_value_heads: undefined,
        rope_scaling: scaling,
      }),
    ).toMatchObject({
      kvHeads: 14,
      qkvBias: false,
      ropeScaling: {
        factor: 32,
        lowFrequencyFactor: 1,
        highFrequencyFactor: 4,
        originalPositions: 8192,
      },
    });
  });

  it('reads the rotation where transformers 5 writes it', () => {
    const config = parseDecoderConfig({
      ...qwen2,
      rope_theta: undefined,
      rope_parameters: { rope_type: 'default', rope_theta: 500_000 },
    });
    expect(config).toMatchObject({ ropeTheta: 500_000, ropeScaling: null });
  });

  it.each([
    ['architectures', { architectures: ['MistralForCausalLM'] }],
    ['architectures', { architectures: undefined }],
    ['hidden_act', { hidden_act: 'gelu' }],
    ['rope_scaling', { rope_scaling: { type: 'yarn', factor: 4 } }],
    ['use_sliding_window', { use_sliding_window: true }],
    ['mlp_bias', { mlp_bias: true }],
    ['attention_bias', { architectures: ['LlamaForCausalLM'], attention_bias: true }],
    ['partial_rotary_factor', { partial_rotary_factor: 0.5 }],
    ['quantization_config', { quantization_config: { quant_method: 'awq' } }],
    ['num_key_value_heads', { num_key_value_heads: 3 }],
    ['vocab_size', { vocab_size: 'many' }],
    ['num_hidden_layers', { num_hidden_layers: 1.5 }],
    ['head_dim', { head_dim: 63 }],
  ])('refuses an unsupported %s by name', (field, change) => {
    const parse = () => parseDecoderConfig({ ...qwen2, ...change });
    expect(parse).toThrow(SaccadeError);
    expect(parse).toThrow(expect.objectContaining({ fault: 'unsupported', field }));
  });

  it('refuses a config that is no object', () => {
    expect(() => parseDecoderConfig(null)).toThrow(/not a JSON object/);
  });
});
