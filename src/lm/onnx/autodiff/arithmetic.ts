import { Tensor } from '../graph/graph-builder.js';
import { Tape } from './tape.js';

/** a + b, of equal shape. */
export function add(tape: Tape, a: Tensor, b: Tensor): Tensor {
  const sum = tape.graph.node('Add', [a, b]);
  return tape.record(sum, [a, b], (gradient) => {
    tape.accumulate(a, () => gradient);
    tape.accumulate(b, () => gradient);
  });
}

/** x · factor. */
export function scale(tape: Tape, x: Tensor, factor: number): Tensor {
  const { graph } = tape;
  const scaled = graph.node('Mul', [x, graph.scalar(factor)]);
  return tape.record(scaled, [x], (gradient) =>
    tape.accumulate(x, () => graph.node('Mul', [gradient, graph.scalar(factor)])),
  );
}
