import { Tensor } from '../graph/graph-builder.js';
import { Tape } from './tape.js';

/**
 * a · b or a · bᵀ over the last two axes, times `scale`.
 *
 * @param a [..., M, K]
 * @param b [..., K, N], or [..., N, K] when transposed
 */
export function batchMatmul(
  tape: Tape,
  a: Tensor,
  b: Tensor,
  { transposeB = false, scale = 1 } = {},
): Tensor {
  const { graph } = tape;
  const multiply = (left: Tensor, right: Tensor, transA: boolean, transB: boolean) =>
    graph.node('FusedMatMul', [left, right], {
      domain: 'com.microsoft',
      attributes: { transA: Number(transA), transB: Number(transB), alpha: { float: scale } },
    });
  const y = multiply(a, b, false, transposeB);
  return tape.record(y, [a, b], (gradient) => {
    tape.accumulate(a, () => multiply(gradient, b, false, !transposeB));
    tape.accumulate(b, () =>
      transposeB ? multiply(gradient, a, true, false) : multiply(a, gradient, true, false),
    );
  });
}

/**
 * softmax(scores + bias) over the last axis. The bias (0, or very negative where a position must not be seen)
 * broadcasts over the scores and gets no gradient.
 */
export function biasedSoftmax(tape: Tape, scores: Tensor, bias: Tensor): Tensor {
  const { graph } = tape;
  const weights = graph.node('Softmax', [graph.node('Add', [scores, bias])], { attributes: { axis: -1 } });
  return tape.record(weights, [scores], (gradient) => {
    tape.accumulate(scores, () => {
      const weighted = graph.node('Mul', [gradient, weights]);
      const total = graph.node('ReduceSum', [weighted, graph.integers([-1])], {
        attributes: { keepdims: 1 },
      });
      return graph.node('Sub', [weighted, graph.node('Mul', [weights, total])]);
    });
  });
}
