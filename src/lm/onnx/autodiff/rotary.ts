import { Tensor } from '../graph/graph-builder.js';
import { Tape } from './tape.js';

/** Cosines and sines of the rotary embedding, each [positions, headDim / 2]; the sines also negated, for the way back. */
export interface RotaryTables {
  cosine: Tensor;
  sine: Tensor;
  negatedSine: Tensor;
}

/**
 * Rotary position embedding, halves rotated (Su et al. 2021, the layout of Llama and Qwen). A rotation's gradient is
 * the rotation back.
 *
 * @param x [B, H, T, D]
 * @param positions int64 [B, T]
 */
export function rotary(tape: Tape, x: Tensor, positions: Tensor, tables: RotaryTables): Tensor {
  const { graph } = tape;
  const rotate = (tensor: Tensor, sine: Tensor) =>
    graph.node('RotaryEmbedding', [tensor, positions, tables.cosine, sine], { domain: 'com.microsoft' });
  const y = rotate(x, tables.sine);
  return tape.record(y, [x], (gradient) => tape.accumulate(x, () => rotate(gradient, tables.negatedSine)));
}
