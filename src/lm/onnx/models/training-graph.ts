import { linear } from '../autodiff/linear.js';
import { selectRows } from '../autodiff/embedding.js';
import { Tape } from '../autodiff/tape.js';
import { tokenLogprob } from '../autodiff/token-logprob.js';
import { GraphBuilder, Tensor } from '../graph/graph-builder.js';
import { DecoderConfig } from './decoder-config.js';
import { decoderHidden, headName } from './decoder.js';
import { LoraShape, loraPairs, loraWeights } from './lora.js';
import { expectedWeights } from './weights.js';

export interface TrainingGraphOptions {
  /** Without, the graph only scores, and tells the entropy too. */
  withGradients: boolean;
  /** Trains an adapter of this shape and leaves the model's own weights alone; null trains all weights. */
  lora: LoraShape | null;
}

/**
 * The graph that learns: log-probabilities of given tokens, and the gradient of Σ token_grad · logprob with respect to
 * every weight that is trained. Supervised learning and all policy-gradient losses differ only in `token_grad`.
 *
 * Inputs: `input_ids`, `position_ids` int64 [B, T]; `attention_bias` [B or 1, 1, T, T]; `rows` int64 [M], positions in
 * the flat batch whose next token counts, all different; `targets` int64 [M], those tokens; `token_grad` [M]; and every
 * weight under its own name, those of the adapter too.
 * Outputs: `logprobs` [M]; `grad.<weight>`, shaped like the weight; or, without gradients, `entropy` [M] in nats. Asked
 * for `logprobs` alone, the runtime still needs a graph of its own to skip the way back.
 */
export function buildTrainingGraph(config: DecoderConfig, options: TrainingGraphOptions): Uint8Array {
  const { withGradients, lora } = options;
  const graph = new GraphBuilder(withGradients ? 'training' : 'scoring');
  const tape = new Tape(graph);
  const ids = graph.input('input_ids', 'int64', ['B', 'T']);
  const positions = graph.input('position_ids', 'int64', ['B', 'T']);
  const attentionBias = graph.input('attention_bias', 'float32', ['C', 1, 'T', 'T']);
  const rows = graph.input('rows', 'int64', ['M']);
  const targets = graph.input('targets', 'int64', ['M']);
  const adapterShapes = lora === null ? new Map<string, number[]>() : loraWeights(config, lora);
  const trained = trainedWeights(config, lora);
  const weights = new Map(
    [...expectedWeights(config), ...adapterShapes].map(([name, dims]) => [
      name,
      graph.input(name, 'float32', dims),
    ]),
  );
  if (withGradients) for (const name of trained.keys()) tape.track(weights.get(name)!);
  const weight = (name: string) => weights.get(name)!;

  const hidden = decoderHidden(tape, config, {
    ids,
    positions,
    attentionBias,
    weight,
    adapter: lora === null ? undefined : loraPairs(lora, (name) => weights.get(name) ?? null),
    withPast: (_kind, _layer, present) => present,
  });
  const logits = linear(tape, selectRows(tape, hidden, rows), weight(headName(config)), null);
  const logprobs = tokenLogprob(tape, logits, targets);
  graph.output('logprobs', logprobs, 'float32', ['M']);
  if (withGradients) {
    tape.backward(logprobs, graph.input('token_grad', 'float32', ['M']));
    for (const [name, dims] of trained)
      graph.output(`grad.${name}`, tape.gradient(weight(name)), 'float32', dims);
  } else {
    graph.output('entropy', entropy(graph, logits), 'float32', ['M']);
  }
  return graph.build();
}

/** Name and shape of the weights that training changes. */
export function trainedWeights(config: DecoderConfig, lora: LoraShape | null): Map<string, number[]> {
  return lora === null ? expectedWeights(config) : loraWeights(config, lora);
}

/** −Σ p log p of each row. */
function entropy(graph: GraphBuilder, logits: Tensor): Tensor {
  const all = graph.node('LogSoftmax', [logits], { attributes: { axis: -1 } });
  const terms = graph.node('Mul', [graph.node('Exp', [all]), all]);
  return graph.node('Neg', [
    graph.node('ReduceSum', [terms, graph.integers([-1])], { attributes: { keepdims: 0 } }),
  ]);
}
