import { Tensor } from '../graph/graph-builder.js';
import { Tape } from './tape.js';

/**
 * x / √(mean(x²) + ε) · weight over the last axis (Zhang and Sennrich 2019).
 *
 * @param x [N, D]
 * @param weight [D]
 */
export function rmsNorm(tape: Tape, x: Tensor, weight: Tensor, epsilon: number): Tensor {
  const { graph } = tape;
  // The runtime's fused operator also returns 1 / √(mean(x²) + ε), [N, 1], which the gradient needs.
  const [y, inverse] = graph.nodeWithOutputs('SimplifiedLayerNormalization', [x, weight], {
    attributes: { axis: -1, epsilon: { float: epsilon }, stash_type: 1 },
    outputs: 2,
  }) as [Tensor, Tensor];
  return tape.record(y, [x, weight], (gradient) => {
    const normalised = graph.node('Mul', [x, inverse]);
    tape.accumulate(weight, () =>
      graph.node('ReduceSum', [graph.node('Mul', [gradient, normalised]), graph.integers([0])], {
        attributes: { keepdims: 0 },
      }),
    );
    tape.accumulate(x, () => {
      const scaled = graph.node('Mul', [gradient, weight]);
      const mean = graph.node('ReduceMean', [graph.node('Mul', [scaled, normalised]), graph.integers([-1])], {
        attributes: { keepdims: 1 },
      });
      const centred = graph.node('Sub', [scaled, graph.node('Mul', [normalised, mean])]);
      return graph.node('Mul', [centred, inverse]);
    });
  });
}
