import { linear } from '../autodiff/linear.js';
import { selectRows } from '../autodiff/embedding.js';
import { Tape } from '../autodiff/tape.js';
import { GraphBuilder } from '../graph/graph-builder.js';
import { DecoderConfig } from './decoder-config.js';
import { decoderHidden, headName, SharedPrompt } from './decoder.js';
import { LoraShape, loraPairs, loraWeights } from './lora.js';
import { Weights } from './weights.js';

/**
 * The graph that generates: one forward pass over new tokens, with the keys and values of earlier ones.
 *
 * Inputs: `input_ids`, `position_ids` int64 [B, T]; `attention_bias` [B, 1, T, P+T], 0 or −1e9, by which the caller
 * decides on causality and padding; `past_keys.i`, `past_values.i` [B, KV, P, D], where P may be 0; `last_index`
 * int64 [B], the position in T whose logits are wanted; and the adapter's factors under their names, where there is one:
 * they are inputs, so that another policy is another set of pointers. With `sharesPrompt` T is 1, and the completions of
 * a group, one after the other in the batch, have their prompt in common: `prompt_keys.i`, `prompt_values.i`
 * [N, KV, Q, D] and `prompt_bias` [N, 1, 1, Q].
 * Outputs: `logits` [B, V]; `present_keys.i`, `present_values.i` [B, KV, P+T, D].
 */
export function buildDecodeGraph(
  config: DecoderConfig,
  weights: Weights,
  { lora = null, sharesPrompt = false }: { lora?: LoraShape | null; sharesPrompt?: boolean } = {},
): { model: Uint8Array } {
  const graph = new GraphBuilder('decode');
  const tape = new Tape(graph); // nothing is tracked, so nothing is recorded
  const { kvHeads, headDim } = config;
  const ids = graph.input('input_ids', 'int64', ['B', 'T']);
  const positions = graph.input('position_ids', 'int64', ['B', 'T']);
  const attentionBias = graph.input('attention_bias', 'float32', ['B', 1, 'T', 'S']);
  const lastIndex = graph.input('last_index', 'int64', ['B']);
  const stored = new Map([...weights].map(([name, tensor]) => [name, graph.initializer(name, tensor)]));
  const weight = (name: string) => {
    const tensor = stored.get(name);
    if (tensor === undefined) throw new Error(`The weight ${name} is missing.`);
    return tensor;
  };

  const factors = new Map(
    lora === null
      ? []
      : [...loraWeights(config, lora)].map(([name, dims]) => [name, graph.input(name, 'float32', dims)]),
  );

  const hidden = decoderHidden(tape, config, {
    ids,
    positions,
    attentionBias,
    weight,
    prompt: sharesPrompt ? promptInputs(graph, config) : undefined,
    adapter: lora === null ? undefined : loraPairs(lora, (name) => factors.get(name) ?? null),
    withPast: (kind, layer, present) => {
      const past = graph.input(`past_${kind}.${layer}`, 'float32', ['B', kvHeads, 'P', headDim]);
      const name = `present_${kind}.${layer}`;
      const all = graph.node('Concat', [past, present], { attributes: { axis: 2 }, name });
      graph.output(name, all, 'float32', ['B', kvHeads, 'S', headDim]);
      return all;
    },
  });

  // Row b·T + last_index[b] of the flat hidden states: the head is as wide as the vocabulary, so it sees only these.
  const time = graph.node('Shape', [ids], { attributes: { start: 1, end: 2 } });
  const count = graph.node('Shape', [ids], { attributes: { start: 0, end: 1 } });
  const batchIndex = graph.node('Range', [
    graph.node('Squeeze', [graph.integers([0])]),
    graph.node('Squeeze', [count]),
    graph.node('Squeeze', [graph.integers([1])]),
  ]);
  const rows = graph.node('Add', [graph.node('Mul', [batchIndex, time]), lastIndex]);
  const logits = linear(tape, selectRows(tape, hidden, rows), weight(headName(config)), null);
  graph.output('logits', logits, 'float32', ['B', config.vocabSize]);
  return { model: graph.build() };
}

function promptInputs(graph: GraphBuilder, { layers, kvHeads, headDim }: DecoderConfig): SharedPrompt {
  const inputs = (side: string) =>
    Array.from({ length: layers }, (_, layer) =>
      graph.input(`prompt_${side}.${layer}`, 'float32', ['N', kvHeads, 'Q', headDim]),
    );
  const [keys, values] = [inputs('keys'), inputs('values')];
  return {
    keys: (layer) => keys[layer]!,
    values: (layer) => values[layer]!,
    bias: graph.input('prompt_bias', 'float32', ['N', 1, 1, 'Q']),
  };
}
