import { Tensor } from '../graph/graph-builder.js';
import { Tape } from './tape.js';

/** SwiGLU: silu(gate) ⊙ up (Shazeer 2020), of equal shape. */
export function swiglu(tape: Tape, gate: Tensor, up: Tensor): Tensor {
  const { graph } = tape;
  const sigmoid = graph.node('Sigmoid', [gate]);
  const silu = graph.node('Mul', [gate, sigmoid]);
  const y = graph.node('Mul', [silu, up]);
  return tape.record(y, [gate, up], (gradient) => {
    tape.accumulate(up, () => graph.node('Mul', [gradient, silu]));
    tape.accumulate(gate, () => {
      // d silu / d gate = σ + silu · (1 − σ) = silu + σ · (1 − silu)
      const slope = graph.node('Add', [
        silu,
        graph.node('Mul', [sigmoid, graph.node('Sub', [graph.scalar(1), silu])]),
      ]);
      return graph.node('Mul', [graph.node('Mul', [gradient, up]), slope]);
    });
  });
}
