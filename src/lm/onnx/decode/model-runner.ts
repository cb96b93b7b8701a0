import { InferenceSession, Tensor } from 'onnxruntime-node';
import { Weights } from '../models/weights.js';
import { attentionBias, KvCache, KvShape, MASKED } from './kv-cache.js';

export interface ModelRunnerOptions {
  shape: KvShape;
  /** Threads of one operator. */
  threads: number;
  executionProvider: 'cpu' | 'cuda';
}

export interface StepResult {
  /** The cache grown by the new tokens. */
  cache: KvCache;
  /** Logits after the last new token of each row, [V] each. */
  logits: Float32Array[];
}

/** The decode graph in an ONNX Runtime session. `run` blocks its thread, so this lives in a worker. */
export class ModelRunner {
  private adapter: Record<string, Tensor> = {};

  private constructor(
    private readonly session: InferenceSession,
    private readonly shape: KvShape,
  ) {}

  static async create(model: Uint8Array, options: ModelRunnerOptions): Promise<ModelRunner> {
    const session = await InferenceSession.create(model, {
      executionProviders: [options.executionProvider],
      intraOpNumThreads: options.threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      graphOptimizationLevel: 'all',
      // Shapes change at every step, so patterns would be planned in vain.
      enableMemPattern: false,
      logSeverityLevel: 3,
    });
    return new ModelRunner(session, options.shape);
  }

  /** Takes another adapter from the next step on. */
  useAdapter(adapter: Weights): void {
    this.adapter = Object.fromEntries(
      [...adapter].map(([name, { dims, data }]) => [name, new Tensor('float32', data, dims)]),
    );
  }

  /**
   * Feeds new tokens.
   *
   * @param tokens [B, T] in row order
   * @param prompt for a graph whose completions share their prompts: those prompts, one row for each group; `cache` then
   *   holds what came after
   */
  async step(cache: KvCache, tokens: readonly number[], prompt: KvCache | null = null): Promise<StepResult> {
    const rows = cache.lengths.length;
    const count = tokens.length / rows;
    const { layers, kvHeads, headDim } = this.shape;
    const perGroup = prompt === null ? 1 : rows / prompt.lengths.length;
    const before = (row: number) => prompt?.lengths[Math.floor(row / perGroup)] ?? 0;
    const positions = cache.lengths.flatMap((length, row) =>
      Array.from({ length: count }, (_, t) => before(row) + length + t),
    );
    const feeds: Record<string, Tensor> = {
      ...this.adapter,
      input_ids: int64(tokens, [rows, count]),
      position_ids: int64(positions, [rows, count]),
      attention_bias: new Tensor('float32', attentionBias(cache.lengths, cache.slots, count), [
        rows,
        1,
        count,
        cache.slots + count,
      ]),
      last_index: int64(new Array<number>(rows).fill(count - 1), [rows]),
    };
    const dims = [rows, kvHeads, cache.slots, headDim];
    for (let layer = 0; layer < layers; layer++) {
      feeds[`past_keys.${layer}`] = new Tensor('float32', cache.keys[layer], dims);
      feeds[`past_values.${layer}`] = new Tensor('float32', cache.values[layer], dims);
    }
    if (prompt !== null) Object.assign(feeds, promptFeeds(prompt, this.shape));
    const outputs = await this.session.run(feeds);
    const grown = (side: string): Float32Array[] =>
      Array.from({ length: layers }, (_, layer) => floats(outputs[`present_${side}.${layer}`]));
    const logits = floats(outputs.logits);
    const vocabulary = logits.length / rows;
    return {
      cache: {
        lengths: cache.lengths.map((length) => length + count),
        slots: cache.slots + count,
        keys: grown('keys'),
        values: grown('values'),
      },
      logits: Array.from({ length: rows }, (_, row) =>
        logits.subarray(row * vocabulary, (row + 1) * vocabulary),
      ),
    };
  }

  async release(): Promise<void> {
    await this.session.release();
  }
}

function promptFeeds(
  { keys, values, lengths, slots }: KvCache,
  { kvHeads, headDim }: KvShape,
): Record<string, Tensor> {
  const dims = [lengths.length, kvHeads, slots, headDim];
  const bias = new Float32Array(lengths.length * slots);
  lengths.forEach((length, row) => bias.fill(MASKED, row * slots, (row + 1) * slots - length));
  const feeds: Record<string, Tensor> = {
    prompt_bias: new Tensor('float32', bias, [lengths.length, 1, 1, slots]),
  };
  keys.forEach((data, layer) => (feeds[`prompt_keys.${layer}`] = new Tensor('float32', data, dims)));
  values.forEach((data, layer) => (feeds[`prompt_values.${layer}`] = new Tensor('float32', data, dims)));
  return feeds;
}

function int64(values: readonly number[], dims: number[]): Tensor {
  return new Tensor('int64', BigInt64Array.from(values, BigInt), dims);
}

function floats(tensor: InferenceSession.ReturnType[string]): Float32Array {
  const { data } = tensor;
  if (!(data instanceof Float32Array))
    throw new Error('The decode graph returned a tensor that is not float32.');
  return data;
}
