import ort from 'onnxruntime-node';
import { DecoderConfig } from '../models/decoder-config.js';
import { buildTrainingGraph } from '../models/training-graph.js';
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
}

export interface TrainingResult {
  /** One per row. */
  logprobs: Float32Array;
  /** Gradient of Σ token_grad · logprob, by weight name. */
  gradients: Map<string, Float32Array>;
}

/** A large negative number rather than −∞, so that a row that may see nothing gives no NaN. */
const UNSEEN = -1e9;

/** Runs the training graph. The weights are inputs, so that an update between two runs costs no copy. */
export class TrainingSession {
  private constructor(
    private readonly session: ort.InferenceSession,
    private readonly weightNames: readonly string[],
  ) {}

  static async create(
    config: DecoderConfig,
    weights: Weights,
    { threads, withGradients = true }: { threads: number; withGradients?: boolean },
  ): Promise<TrainingSession> {
    const session = await ort.InferenceSession.create(buildTrainingGraph(config, { withGradients }), {
      intraOpNumThreads: threads,
      graphOptimizationLevel: 'all',
      // Threads that spin while they wait starve a busy machine of the cores they wait for.
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    });
    return new TrainingSession(session, [...weights.keys()]);
  }

  /**
   * @param tokenGradient [M], the gradient of the loss with respect to each log-probability, given those of the rows;
   *   null to score only
   */
  async run(
    weights: Weights,
    batch: TokenBatch,
    tokenGradient: Float32Array | null,
  ): Promise<TrainingResult> {
    const feeds: Record<string, ort.Tensor> = batchFeeds(batch);
    for (const [name, { dims, data }] of weights) feeds[name] = new ort.Tensor('float32', data, dims);
    if (tokenGradient !== null)
      feeds['token_grad'] = new ort.Tensor('float32', tokenGradient, [batch.rows.length]);
    const outputs = await this.session.run(feeds);
    const gradients = new Map<string, Float32Array>();
    if (tokenGradient !== null)
      for (const name of this.weightNames) gradients.set(name, floats(outputs[`grad.${name}`]));
    return { logprobs: floats(outputs['logprobs']), gradients };
  }

  async close(): Promise<void> {
    await this.session.release();
  }
}

function batchFeeds({ inputIds, batch, length, rows, targets }: TokenBatch): Record<string, ort.Tensor> {
  const int64 = (values: Iterable<number>, dims: number[]) =>
    new ort.Tensor('int64', BigInt64Array.from(values as Iterable<number> & ArrayLike<number>, BigInt), dims);
  const positions = Int32Array.from({ length: batch * length }, (_, i) => i % length);
  return {
    input_ids: int64(inputIds, [batch, length]),
    position_ids: int64(positions, [batch, length]),
    attention_bias: new ort.Tensor('float32', causalBias(length), [1, 1, length, length]),
    rows: int64(rows, [rows.length]),
    targets: int64(targets, [targets.length]),
  };
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
