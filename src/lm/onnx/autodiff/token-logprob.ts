import { Tensor } from '../graph/graph-builder.js';
import { Tape } from './tape.js';

/**
 * Log-probability of one target per row: log softmax(logits)[target].
 *
 * The gradient of a row is g · (onehot(target) − softmax): the softmax is scaled, then g is added at the target.
 *
 * @param logits [M, V]
 * @param targets int64 [M]
 * @returns [M]
 */
export function tokenLogprob(tape: Tape, logits: Tensor, targets: Tensor): Tensor {
  const { graph } = tape;
  const all = graph.node('LogSoftmax', [logits], { attributes: { axis: -1 } });
  const column = graph.node('Unsqueeze', [targets, graph.integers([1])]);
  const chosen = graph.node('GatherElements', [all, column], { attributes: { axis: 1 } });
  const logprob = graph.node('Squeeze', [chosen, graph.integers([1])]);
  return tape.record(logprob, [logits], (gradient) => {
    tape.accumulate(logits, () => {
      const gradientColumn = graph.node('Unsqueeze', [gradient, graph.integers([1])]);
      const pull = graph.node('Mul', [graph.node('Exp', [all]), graph.node('Neg', [gradientColumn])]);
      return graph.node('ScatterElements', [pull, column, gradientColumn], {
        attributes: { axis: 1, reduction: 'add' },
      });
    });
  });
}
