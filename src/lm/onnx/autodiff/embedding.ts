import { Tensor } from '../graph/graph-builder.js';
import { Tape } from './tape.js';

/**
 * Rows of a table.
 *
 * The same id stands in a batch many times, and ScatterND with reduction=add loses such updates on the CPU (a race
 * between threads). ScatterElements adds them one after the other and gives the same result every time.
 *
 * @param table [V, D]
 * @param ids int64 [N]
 * @returns [N, D]
 */
export function embedding(tape: Tape, table: Tensor, ids: Tensor): Tensor {
  const { graph } = tape;
  const rows = graph.node('Gather', [table, ids], { attributes: { axis: 0 } });
  return tape.record(rows, [table], (gradient) => {
    tape.accumulateOnto(table, (base) => {
      const column = graph.node('Unsqueeze', [ids, graph.integers([1])]);
      const indices = graph.node('Expand', [column, graph.node('Shape', [gradient])]);
      return graph.node('ScatterElements', [base ?? zerosLike(tape, table), indices, gradient], {
        attributes: { axis: 0, reduction: 'add' },
      });
    });
  });
}

/**
 * Some rows, each at most once, such as the positions whose logits are wanted.
 *
 * @param x [N, D]
 * @param rows int64 [M], all different
 */
export function selectRows(tape: Tape, x: Tensor, rows: Tensor): Tensor {
  const { graph } = tape;
  const y = graph.node('Gather', [x, rows], { attributes: { axis: 0 } });
  return tape.record(y, [x], (gradient) => {
    tape.accumulate(x, () =>
      graph.node('ScatterND', [
        zerosLike(tape, x),
        graph.node('Unsqueeze', [rows, graph.integers([1])]),
        gradient,
      ]),
    );
  });
}

function zerosLike(tape: Tape, tensor: Tensor): Tensor {
  return tape.graph.node('Expand', [tape.graph.scalar(0), tape.graph.node('Shape', [tensor])]);
}
