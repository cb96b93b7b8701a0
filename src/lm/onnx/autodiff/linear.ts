import { Tensor } from '../graph/graph-builder.js';
import { Tape } from './tape.js';

/**
 * x · weightᵀ + bias.
 *
 * @param x [N, in]
 * @param weight [out, in], the layout of Hugging Face checkpoints; Gemm transposes while it packs
 * @param bias [out] or null
 * @returns [N, out]
 */
export function linear(tape: Tape, x: Tensor, weight: Tensor, bias: Tensor | null): Tensor {
  const { graph } = tape;
  const inputs = bias === null ? [x, weight] : [x, weight, bias];
  const y = graph.node('Gemm', inputs, { attributes: { transB: 1 } });
  return tape.record(y, inputs, (gradient) => {
    tape.accumulate(x, () => graph.node('Gemm', [gradient, weight]));
    tape.accumulateOnto(weight, (base) =>
      graph.node('Gemm', base === null ? [gradient, x] : [gradient, x, base], { attributes: { transA: 1 } }),
    );
    if (bias !== null)
      tape.accumulate(bias, () =>
        graph.node('ReduceSum', [gradient, graph.integers([0])], { attributes: { keepdims: 0 } }),
      );
  });
}
