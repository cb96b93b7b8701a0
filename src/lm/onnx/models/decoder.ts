import { add, scale } from '../autodiff/arithmetic.js';
import { headMatmul, biasedSoftmax } from '../autodiff/attention.js';
import { embedding } from '../autodiff/embedding.js';
import { swiglu } from '../autodiff/gated.js';
import { reshape, transpose } from '../autodiff/layout.js';
import { linear } from '../autodiff/linear.js';
import { rmsNorm } from '../autodiff/rms-norm.js';
import { rotary, RotaryTables } from '../autodiff/rotary.js';
import { Tape } from '../autodiff/tape.js';
import { GraphBuilder, Tensor } from '../graph/graph-builder.js';
import { DecoderConfig } from './decoder-config.js';
import { LoraPair } from './lora.js';
import { ropeTables } from './rope-tables.js';

/** What every layer needs besides its own weights. */
export interface DecoderInputs {
  /** int64 [B, T] */
  ids: Tensor;
  /** int64 [B, T] */
  positions: Tensor;
  /** [B or 1, 1, T, S]: 0, or very negative where a position must not be seen. */
  attentionBias: Tensor;
  weight: (name: string) => Tensor;
  /** Low-rank update of a projection, such as `model.layers.0.mlp.up_proj`; null where it has none. */
  adapter?: (projection: string) => LoraPair | null;
  /** Keys and values that the completions of a group share, where they are kept apart from those of each. */
  prompt?: SharedPrompt;
  /** Joins the keys or values of a layer, [B, KV, T, D], with those of earlier tokens, [B, KV, S, D]. */
  withPast: (kind: 'keys' | 'values', layer: number, present: Tensor) => Tensor;
}

/** The prompts of N groups of completions, [N·n, …] rows in the batch, one token each (T = 1). Not differentiable. */
export interface SharedPrompt {
  /** Of a layer, [N, KV, P, D]. */
  keys: (layer: number) => Tensor;
  values: (layer: number) => Tensor;
  /** [N, 1, 1, P]: 0, or very negative on padding. */
  bias: Tensor;
}

/** Hidden states of every position after the last norm, [B·T, hidden], and the embedding table. */
export function decoderHidden(tape: Tape, config: DecoderConfig, inputs: DecoderInputs): Tensor {
  const { graph } = tape;
  const batch = graph.node('Shape', [inputs.ids]);
  const flatIds = graph.node('Reshape', [inputs.ids, graph.integers([-1])]);
  const tables = rotaryInitializers(tape, config);
  // [B or 1, 1, 1, T, S], for scores that keep the heads of a group on an axis of their own
  const bias = graph.node('Unsqueeze', [inputs.attentionBias, graph.integers([2])]);
  let hidden = embedding(tape, inputs.weight('model.embed_tokens.weight'), flatIds);
  for (let layer = 0; layer < config.layers; layer++) {
    const weight = (name: string) => inputs.weight(`model.layers.${layer}.${name}`);
    const adapter = (name: string) => inputs.adapter?.(`model.layers.${layer}.${name}`) ?? null;
    const project = (name: string, x: Tensor, bias: Tensor | null = null) =>
      adapted(tape, x, linear(tape, x, weight(`${name}.weight`), bias), adapter(name));
    const seen = rmsNorm(tape, hidden, weight('input_layernorm.weight'), config.rmsEpsilon);
    hidden = add(
      tape,
      hidden,
      attention(
        tape,
        config,
        { ...inputs, attentionBias: bias, weight },
        project,
        layer,
        seen,
        batch,
        tables,
      ),
    );
    const normed = rmsNorm(tape, hidden, weight('post_attention_layernorm.weight'), config.rmsEpsilon);
    const gate = project('mlp.gate_proj', normed);
    const up = project('mlp.up_proj', normed);
    hidden = add(tape, hidden, project('mlp.down_proj', swiglu(tape, gate, up)));
  }
  return rmsNorm(tape, hidden, inputs.weight('model.norm.weight'), config.rmsEpsilon);
}

/** y + scale · B(A x), which is y where there is no adapter (Hu et al. 2021). */
function adapted(tape: Tape, x: Tensor, y: Tensor, pair: LoraPair | null): Tensor {
  if (pair === null) return y;
  const inner = scale(tape, linear(tape, x, pair.a, null), pair.scale);
  return add(tape, y, linear(tape, inner, pair.b, null));
}

/** Name of the weight of the output head. */
export function headName(config: DecoderConfig): string {
  return config.tiedHead ? 'model.embed_tokens.weight' : 'lm_head.weight';
}

/** Grouped-query attention of one layer. x [B·T, hidden] → [B·T, hidden] */
function attention(
  tape: Tape,
  config: DecoderConfig,
  inputs: DecoderInputs,
  projection: (name: string, x: Tensor, bias?: Tensor | null) => Tensor,
  layer: number,
  x: Tensor,
  batch: Tensor,
  tables: RotaryTables,
): Tensor {
  const { graph } = tape;
  const { heads, kvHeads, headDim } = config;
  const group = heads / kvHeads;
  const shaped = (...tail: number[]) =>
    graph.node('Concat', [batch, graph.integers(tail)], { attributes: { axis: 0 } });

  const project = (name: 'q' | 'k' | 'v', count: number): Tensor => {
    const bias = config.qkvBias ? inputs.weight(`self_attn.${name}_proj.bias`) : null;
    let y = projection(`self_attn.${name}_proj`, x, bias);
    if (config.qkNorm && name !== 'v') {
      const rows = reshape(tape, y, graph.integers([-1, headDim]));
      y = rmsNorm(tape, rows, inputs.weight(`self_attn.${name}_norm.weight`), config.rmsEpsilon);
    }
    return transpose(tape, reshape(tape, y, shaped(count, headDim)), [0, 2, 1, 3]); // [B, count, T, D]
  };

  const query = rotary(tape, project('q', heads), inputs.positions, tables);
  const keys = inputs.withPast('keys', layer, rotary(tape, project('k', kvHeads), inputs.positions, tables));
  const values = inputs.withPast('values', layer, project('v', kvHeads));

  // The heads that share keys are laid one after the other, so that no key is copied: [B, KV, G·T, D].
  const grouped = reshape(tape, query, graph.integers([0, kvHeads, -1, headDim]));
  const scores = headMatmul(tape, grouped, keys, { transposeB: true, scale: 1 / Math.sqrt(headDim) });
  const time = graph.node('Slice', [batch, graph.integers([1]), graph.integers([2])]);
  const perHead = graph.node('Concat', [graph.integers([0, kvHeads, group]), time, graph.integers([-1])], {
    attributes: { axis: 0 },
  });
  const mixed =
    inputs.prompt === undefined
      ? mixValues(tape, config, reshape(tape, scores, perHead), inputs.attentionBias, values)
      : mixWithPrompt(graph, config, inputs, inputs.prompt, layer, grouped, scores, values);
  const back = graph.node('Concat', [graph.integers([0, heads]), time, graph.integers([headDim])], {
    attributes: { axis: 0 },
  });
  const joined = transpose(tape, reshape(tape, mixed, back), [0, 2, 1, 3]); // [B, T, H, D]
  return projection('self_attn.o_proj', reshape(tape, joined, graph.integers([-1, heads * headDim])));
}

/** softmax(scores) · values: [B, KV, G, T, S] and [B, KV, S, D] → [B, KV, G·T, D] */
function mixValues(
  tape: Tape,
  { kvHeads }: DecoderConfig,
  scores: Tensor,
  bias: Tensor,
  values: Tensor,
): Tensor {
  const weights = biasedSoftmax(tape, scores, bias);
  const flat = tape.graph.node('Concat', [tape.graph.integers([0, kvHeads, -1]), lastSize(tape, weights)], {
    attributes: { axis: 0 },
  });
  return headMatmul(tape, reshape(tape, weights, flat), values);
}

/**
 * Attention of single tokens to their group's prompt and to their own past, under one softmax. The prompt's keys and
 * values are read where they lie, once for all completions of the group, and never copied.
 *
 * @param query [B, KV, G, D], B = N·n
 * @param scores [B, KV, G, S], of the own past
 */
function mixWithPrompt(
  graph: GraphBuilder,
  { kvHeads, heads, headDim }: DecoderConfig,
  { attentionBias }: DecoderInputs,
  prompt: SharedPrompt,
  layer: number,
  query: Tensor,
  scores: Tensor,
  values: Tensor,
): Tensor {
  const group = heads / kvHeads;
  const node = (type: string, inputs: Tensor[], attributes = {}) => graph.node(type, inputs, { attributes });
  const keys = prompt.keys(layer);
  const groups = node('Shape', [keys], { start: 0, end: 1 });
  const shape = (...parts: (Tensor | number[])[]) =>
    node(
      'Concat',
      parts.map((part) => (Array.isArray(part) ? graph.integers(part) : part)),
      { axis: 0 },
    );
  /** [N·n, KV, G, X] → [N, KV, n·G, X]: all queries to one prompt side by side. */
  const gather = (x: Tensor, width: Tensor | number[]) => {
    const split = node('Reshape', [x, shape(groups, [-1, kvHeads, group], width)]);
    const turned = node('Transpose', [split], { perm: [0, 2, 1, 3, 4] });
    return node('Reshape', [turned, shape(groups, [kvHeads, -1], width)]);
  };
  /** And back. */
  const spread = (x: Tensor, width: Tensor | number[]) => {
    const split = node('Reshape', [x, shape(groups, [kvHeads, -1, group], width)]);
    const turned = node('Transpose', [split], { perm: [0, 2, 1, 3, 4] });
    return node('Reshape', [turned, shape([-1, kvHeads, group], width)]);
  };
  const multiply = (left: Tensor, right: Tensor, transB: number, alpha: number) =>
    graph.node('FusedMatMul', [left, right], {
      domain: 'com.microsoft',
      attributes: { transA: 0, transB, alpha: { float: alpha } },
    });
  const promptLength = node('Shape', [keys], { start: 2, end: 3 });
  const toPrompt = multiply(gather(query, [headDim]), keys, 1, 1 / Math.sqrt(headDim));
  const promptScores = spread(node('Add', [toPrompt, prompt.bias]), promptLength);
  const ownBias = node('Squeeze', [attentionBias, graph.integers([2])]); // [B, 1, 1, S]
  const all = node('Concat', [promptScores, node('Add', [scores, ownBias])], { axis: -1 });
  const weights = node('Softmax', [all], { axis: -1 });
  const end = graph.integers([2 ** 31]);
  const last = graph.integers([3]);
  const ofPrompt = node('Slice', [weights, graph.integers([0]), promptLength, last]);
  const ofOwn = node('Slice', [weights, promptLength, end, last]);
  const fromPrompt = spread(multiply(gather(ofPrompt, promptLength), prompt.values(layer), 0, 1), [headDim]);
  return node('Add', [fromPrompt, multiply(ofOwn, values, 0, 1)]);
}

function lastSize(tape: Tape, tensor: Tensor): Tensor {
  return tape.graph.node('Shape', [tensor], { attributes: { start: -1 } });
}

function rotaryInitializers(tape: Tape, config: DecoderConfig): RotaryTables {
  const { dims, cosine, sine } = ropeTables(config);
  return {
    cosine: tape.graph.initializer('rotary_cosine', { dims, data: cosine }),
    sine: tape.graph.initializer('rotary_sine', { dims, data: sine }),
    negatedSine: tape.graph.initializer('rotary_negated_sine', { dims, data: sine.map((value) => -value) }),
  };
}
