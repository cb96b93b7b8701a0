import { DecoderConfig } from './decoder-config.js';

/** Cosines and sines of every position, each [maxPositions, headDim / 2]. */
export interface RopeTables {
  dims: [number, number];
  cosine: Float32Array;
  sine: Float32Array;
}

export function ropeTables(config: DecoderConfig): RopeTables {
  const half = config.headDim / 2;
  const frequencies = Array.from({ length: half }, (_, i) => scaled(config, config.ropeTheta ** (-i / half)));
  const dims: [number, number] = [config.maxPositions, half];
  const cosine = new Float32Array(config.maxPositions * half);
  const sine = new Float32Array(config.maxPositions * half);
  for (let position = 0; position < config.maxPositions; position++) {
    for (let i = 0; i < half; i++) {
      cosine[position * half + i] = Math.cos(position * frequencies[i]!);
      sine[position * half + i] = Math.sin(position * frequencies[i]!);
    }
  }
  return { dims, cosine, sine };
}

/** Llama 3: fast frequencies stay, slow ones are divided by the factor, those between are blended. */
function scaled({ ropeScaling }: DecoderConfig, frequency: number): number {
  if (ropeScaling === null) return frequency;
  const { factor, lowFrequencyFactor, highFrequencyFactor, originalPositions } = ropeScaling;
  const turns = (originalPositions * frequency) / (2 * Math.PI);
  if (turns > highFrequencyFactor) return frequency;
  if (turns < lowFrequencyFactor) return frequency / factor;
  const blend = (turns - lowFrequencyFactor) / (highFrequencyFactor - lowFrequencyFactor);
  return ((1 - blend) * frequency) / factor + blend * frequency;
}
