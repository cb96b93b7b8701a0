import ort from 'onnxruntime-node';
import { DecoderConfig } from '../models/decoder-config.js';
import { buildTrainingGraph, trainedWeights, TrainingGraphOptions } from '../models/training-graph.js';
import { Weights } from '../models/weights.js';

/** Token ids of several sequences, padded on the right to one length; row-major [B, T]. */
export interface TokenBatch {
  inputIds: Int32Array;
  batch: number;
  length: number;
  /** Positions in the flat batch whose next token counts, all different. */
  rows: Int32Array;
  /** The next token at each of the rows. */
  targets: Int32Array;
  /** [B, T]; each row counts from 0 when missing. */
  positions?: Int32Array;
  /** [B, T, T]: 0, or very negative where a position must not be seen; plain causality when missing. */
  attentionBias?: Float32Array;
}

export interface TrainingResult {
  /** One per row. */
  logprobs: Float32Array;
  /** Gradient of Σ token_grad · logprob, by weight name. */
  gradients: Map<string, Float32Array>;
}

export interface ScoringResult {
  /** One per row. */
  logprobs: Float32Array;
  /** Of the distribution at each row, in nats. */
  entropies: Float32Array;
}

/** A large negative number rather than −∞, so that a row that may see nothing gives no NaN. */
const UNSEEN = -1e9;

/** Runs the training graph. The weights are inputs, so that an update between two runs costs no copy. */
export class TrainingSession {
  private constructor(
    private readonly session: ort.InferenceSession,
    private readonly trained: readonly string[],
  ) {}

  static async create(
    config: DecoderConfig,
    { threads, ...graph }: { threads: number } & TrainingGraphOptions,
  ): Promise<TrainingSession> {
    const session = await ort.InferenceSession.create(buildTrainingGraph(config, graph), {
      intraOpNumThreads: threads,
      graphOptimizationLevel: 'all',
      // Threads that spin while they wait starve a busy machine of the cores they wait for.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
    return new TrainingSession(session, [...trainedWeights(config, graph.lora).keys()]);
  }

  /**
   * For a session with gradients.
   * @param tokenGradient [M], the gradient of the loss with respect to each log-probability, given those of the rows
   */
  async run(weights: Weights, batch: TokenBatch, tokenGradient: Float32Array): Promise<TrainingResult> {
    const outputs = await this.session.run({
      ...feeds(weights, batch),
      token_grad: new ort.Tensor('float32', tokenGradient, [batch.rows.length]),
    });
    const gradients = new Map<string, Float32Array>();
    for (const name of this.trained) gradients.set(name, floats(outputs[`grad.${name}`]));
    return { logprobs: floats(outputs['logprobs']), gradients };
  }

  /** For a session without gradients. */
  async score(weights: Weights, batch: TokenBatch): Promise<ScoringResult> {
    const outputs = await this.session.run(feeds(weights, batch));
    return { logprobs: floats(outputs['logprobs']), entropies: floats(outputs['entropy']) };
  }

  async close(): Promise<void> {
    await this.session.release();
  }
}

function feeds(weights: Weights, batch: TokenBatch): Record<string, ort.Tensor> {
  const feeds: Record<string, ort.Tensor> = batchFeeds(batch);
  for (const [name, { dims, data }] of weights) feeds[name] = new ort.Tensor('float32', data, dims);
  return feeds;
}

function batchFeeds({
  inputIds,
  batch,
  length,
  rows,
  targets,
  positions = countingPositions(batch, length),
  attentionBias,
}: TokenBatch): Record<string, ort.Tensor> {
  const int64 = (values: Iterable<number>, dims: number[]) =>
    new ort.Tensor('int64', BigInt64Array.from(values as Iterable<number> & ArrayLike<number>, BigInt), dims);
  return {
    input_ids: int64(inputIds, [batch, length]),
    position_ids: int64(positions, [batch, length]),
    attention_bias:
      attentionBias === undefined
        ? new ort.Tensor('float32', causalBias(length), [1, 1, length, length])
        : new ort.Tensor('float32', attentionBias, [batch, 1, length, length]),
    rows: int64(rows, [rows.length]),
    targets: int64(targets, [targets.length]),
  };
}

function countingPositions(batch: number, length: number): Int32Array {
  return Int32Array.from({ length: batch * length }, (_, i) => i % length);
}

/** [T, T]: 0 up to the own position, then unseen. Padding stands on the right, where causality hides it. */
function causalBias(length: number): Float32Array {
  const bias = new Float32Array(length * length);
  for (let row = 0; row < length; row++) bias.fill(UNSEEN, row * length + row + 1, (row + 1) * length);
  return bias;
}

function floats(tensor: ort.Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array))
    throw new Error('The training graph lacks an expected float output.');
  return tensor.data;
}
