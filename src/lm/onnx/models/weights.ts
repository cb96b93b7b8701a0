import { DecoderConfig } from './decoder-config.js';

export interface WeightTensor {
  dims: number[];
  data: Float32Array;
}

/** Weights by their Hugging Face names, such as `model.layers.0.self_attn.q_proj.weight` [out, in]. */
export type Weights = Map<string, WeightTensor>;

/** Name and shape of every weight that a decoder of this shape has, in the order of the computation. */
export function expectedWeights(config: DecoderConfig): Map<string, number[]> {
  const { hiddenSize: hidden, heads, kvHeads, headDim, intermediateSize: inner } = config;
  const shapes = new Map<string, number[]>([['model.embed_tokens.weight', [config.vocabSize, hidden]]]);
  for (let layer = 0; layer < config.layers; layer++) {
    const at = (name: string, dims: number[]) => shapes.set(`model.layers.${layer}.${name}`, dims);
    at('input_layernorm.weight', [hidden]);
    for (const [name, size] of [
      ['q_proj', heads * headDim],
      ['k_proj', kvHeads * headDim],
      ['v_proj', kvHeads * headDim],
    ] as const) {
      at(`self_attn.${name}.weight`, [size, hidden]);
      if (config.qkvBias) at(`self_attn.${name}.bias`, [size]);
    }
    if (config.qkNorm) {
      at('self_attn.q_norm.weight', [headDim]);
      at('self_attn.k_norm.weight', [headDim]);
    }
    at('self_attn.o_proj.weight', [hidden, heads * headDim]);
    at('post_attention_layernorm.weight', [hidden]);
    at('mlp.gate_proj.weight', [inner, hidden]);
    at('mlp.up_proj.weight', [inner, hidden]);
    at('mlp.down_proj.weight', [hidden, inner]);
  }
  shapes.set('model.norm.weight', [hidden]);
  if (!config.tiedHead) shapes.set('lm_head.weight', [config.vocabSize, hidden]);
  return shapes;
}

/**
 * Fresh weights: norms 1, biases 0, matrices normal with standard deviation 0.02, those that write into the residual
 * stream smaller by √(2 · layers) (Radford et al. 2019).
 */
export function initialiseWeights(config: DecoderConfig, seed: number): Weights {
  const normal = normalNumbers(seed);
  const weights: Weights = new Map();
  for (const [name, dims] of expectedWeights(config)) {
    const data = new Float32Array(dims.reduce((a, b) => a * b, 1));
    if (dims.length === 2) {
      const writesResidual = name.endsWith('o_proj.weight') || name.endsWith('down_proj.weight');
      const deviation = writesResidual ? 0.02 / Math.sqrt(2 * config.layers) : 0.02;
      for (let i = 0; i < data.length; i++) data[i] = normal() * deviation;
    } else if (name.endsWith('.weight')) {
      data.fill(1);
    }
    weights.set(name, { dims, data });
  }
  return weights;
}

/** Standard normal numbers from a seed: mulberry32, then Box and Muller. */
export function normalNumbers(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}
