import { add } from '../autodiff/arithmetic.js';
import { headMatmul, biasedSoftmax } from '../autodiff/attention.js';
import { embedding } from '../autodiff/embedding.js';
import { swiglu } from '../autodiff/gated.js';
import { reshape, transpose } from '../autodiff/layout.js';
import { linear } from '../autodiff/linear.js';
import { rmsNorm } from '../autodiff/rms-norm.js';
import { rotary, RotaryTables } from '../autodiff/rotary.js';
import { Tape } from '../autodiff/tape.js';
import { Tensor } from '../graph/graph-builder.js';
import { DecoderConfig } from './decoder-config.js';
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
  /** Joins the keys or values of a layer, [B, KV, T, D], with those of earlier tokens, [B, KV, S, D]. */
  withPast: (kind: 'keys' | 'values', layer: number, present: Tensor) => Tensor;
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
    const seen = rmsNorm(tape, hidden, weight('input_layernorm.weight'), config.rmsEpsilon);
    hidden = add(
      tape,
      hidden,
      attention(tape, config, { ...inputs, attentionBias: bias, weight }, layer, seen, batch, tables),
    );
    const normed = rmsNorm(tape, hidden, weight('post_attention_layernorm.weight'), config.rmsEpsilon);
    const gate = linear(tape, normed, weight('mlp.gate_proj.weight'), null);
    const up = linear(tape, normed, weight('mlp.up_proj.weight'), null);
    hidden = add(tape, hidden, linear(tape, swiglu(tape, gate, up), weight('mlp.down_proj.weight'), null));
  }
  return rmsNorm(tape, hidden, inputs.weight('model.norm.weight'), config.rmsEpsilon);
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
    let y = linear(tape, x, inputs.weight(`self_attn.${name}_proj.weight`), bias);
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
  const weights = biasedSoftmax(tape, reshape(tape, scores, perHead), inputs.attentionBias); // [B, KV, G, T, S]
  const flat = graph.node('Concat', [graph.integers([0, kvHeads, -1]), lastSize(tape, weights)], {
    attributes: { axis: 0 },
  });
  const mixed = headMatmul(tape, reshape(tape, weights, flat), values); // [B, KV, G·T, D]
  const back = graph.node('Concat', [graph.integers([0, heads]), time, graph.integers([headDim])], {
    attributes: { axis: 0 },
  });
  const joined = transpose(tape, reshape(tape, mixed, back), [0, 2, 1, 3]); // [B, T, H, D]
  return linear(
    tape,
    reshape(tape, joined, graph.integers([-1, heads * headDim])),
    inputs.weight('self_attn.o_proj.weight'),
    null,
  );
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
