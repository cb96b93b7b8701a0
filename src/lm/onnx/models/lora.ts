import { Tensor } from '../graph/graph-builder.js';
import { DecoderConfig } from './decoder-config.js';
import { expectedWeights, normalNumbers, Weights } from './weights.js';

/** Projections that an adapter can change, by PEFT's names. */
export const LORA_TARGETS = [
  'q_proj',
  'k_proj',
  'v_proj',
  'o_proj',
  'gate_proj',
  'up_proj',
  'down_proj',
] as const;
export type LoraTarget = (typeof LORA_TARGETS)[number];

/** Shape of a low-rank adapter (Hu et al. 2021). */
export interface LoraShape {
  rank: number;
  /** The update is scaled by alpha / rank. */
  alpha: number;
  targets: readonly LoraTarget[];
}

/** The two factors of one projection's update, in the graph. */
export interface LoraPair {
  /** [r, in] */
  a: Tensor;
  /** [out, r] */
  b: Tensor;
  scale: number;
}

/** Name and shape of every factor, such as `model.layers.0.mlp.up_proj.lora_A.weight`. */
export function loraWeights(config: DecoderConfig, { rank, targets }: LoraShape): Map<string, number[]> {
  const shapes = new Map<string, number[]>();
  for (const [name, dims] of expectedWeights(config)) {
    const projection = /^(.*\.(\w+_proj))\.weight$/.exec(name);
    if (projection === null || !targets.some((target) => target === projection[2])) continue;
    const [outSize, inSize] = dims as [number, number];
    shapes.set(`${projection[1]}.lora_A.weight`, [rank, inSize]);
    shapes.set(`${projection[1]}.lora_B.weight`, [outSize, rank]);
  }
  return shapes;
}

/** An adapter that changes nothing yet: A random, B zero, as PEFT begins. */
export function initialiseLora(config: DecoderConfig, shape: LoraShape, seed: number): Weights {
  const normal = normalNumbers(seed);
  const weights: Weights = new Map();
  for (const [name, dims] of loraWeights(config, shape)) {
    const data = new Float32Array(dims[0]! * dims[1]!);
    // A uniform number within ±√(1/in), as PEFT draws, has this deviation.
    if (name.endsWith('lora_A.weight'))
      data.forEach((_, i) => (data[i] = normal() / Math.sqrt(3 * dims[1]!)));
    weights.set(name, { dims, data });
  }
  return weights;
}

/** The pair of a projection, from the tensors of its factors. */
export function loraPairs(
  { rank, alpha }: LoraShape,
  tensor: (name: string) => Tensor | null,
): (projection: string) => LoraPair | null {
  return (projection) => {
    const [a, b] = ['A', 'B'].map((factor) => tensor(`${projection}.lora_${factor}.weight`));
    return !a || !b ? null : { a, b, scale: alpha / rank };
  };
}
