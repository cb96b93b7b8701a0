import { linear } from '../autodiff/linear.js';
import { selectRows } from '../autodiff/embedding.js';
import { Tape } from '../autodiff/tape.js';
import { tokenLogprob } from '../autodiff/token-logprob.js';
import { GraphBuilder } from '../graph/graph-builder.js';
import { DecoderConfig } from './decoder-config.js';
import { decoderHidden, headName } from './decoder.js';
import { expectedWeights } from './weights.js';

/**
 * The graph that learns: log-probabilities of given tokens, and the gradient of Σ token_grad · logprob with respect to
 * every weight. Supervised learning and all policy-gradient losses differ only in `token_grad`.
 *
 * Inputs: `input_ids`, `position_ids` int64 [B, T]; `attention_bias` [B or 1, 1, T, T]; `rows` int64 [M], positions in
 * the flat batch whose next token counts, all different; `targets` int64 [M], those tokens; `token_grad` [M]; and every
 * weight under its own name.
 * Outputs: `logprobs` [M]; `grad.<weight>`, shaped like the weight. Asked for `logprobs` alone, the runtime still needs
 * a graph of its own to skip the way back: build it with `withGradients` false.
 */
export function buildTrainingGraph(config: DecoderConfig, { withGradients = true } = {}): Uint8Array {
  const graph = new GraphBuilder(withGradients ? 'training' : 'scoring');
  const tape = new Tape(graph);
  const ids = graph.input('input_ids', 'int64', ['B', 'T']);
  const positions = graph.input('position_ids', 'int64', ['B', 'T']);
  const attentionBias = graph.input('attention_bias', 'float32', ['C', 1, 'T', 'T']);
  const rows = graph.input('rows', 'int64', ['M']);
  const targets = graph.input('targets', 'int64', ['M']);
  const shapes = expectedWeights(config);
  const weights = new Map([...shapes].map(([name, dims]) => [name, graph.input(name, 'float32', dims)]));
  if (withGradients) for (const tensor of weights.values()) tape.track(tensor);
  const weight = (name: string) => weights.get(name)!;

  const hidden = decoderHidden(tape, config, {
    ids,
    positions,
    attentionBias,
    weight,
    withPast: (_kind, _layer, present) => present,
  });
  const logits = linear(tape, selectRows(tape, hidden, rows), weight(headName(config)), null);
  const logprobs = tokenLogprob(tape, logits, targets);
  graph.output('logprobs', logprobs, 'float32', ['M']);
  if (withGradients) {
    tape.backward(logprobs, graph.input('token_grad', 'float32', ['M']));
    for (const [name, dims] of shapes)
      graph.output(`grad.${name}`, tape.gradient(weight(name)), 'float32', dims);
  }
  return graph.build();
}
