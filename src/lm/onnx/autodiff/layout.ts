import { Tensor } from '../graph/graph-builder.js';
import { Tape } from './tape.js';

/** The same elements under another shape. `shape` is an int64 tensor, so that it may depend on the batch. */
export function reshape(tape: Tape, x: Tensor, shape: Tensor): Tensor {
  const { graph } = tape;
  const y = graph.node('Reshape', [x, shape]);
  return tape.record(y, [x], (gradient) => {
    tape.accumulate(x, () => graph.node('Reshape', [gradient, graph.node('Shape', [x])]));
  });
}

/** Axes in another order. */
export function transpose(tape: Tape, x: Tensor, order: readonly number[]): Tensor {
  const { graph } = tape;
  const y = graph.node('Transpose', [x], { attributes: { perm: order } });
  const inverse = order.map((_, axis) => order.indexOf(axis));
  return tape.record(y, [x], (gradient) => {
    tape.accumulate(x, () => graph.node('Transpose', [gradient], { attributes: { perm: inverse } }));
  });
}
