import { Completion, SamplingParams } from '../../lm/language-model.js';
import { emptyCache, KvCache, KvShape, packRows } from '../../lm/onnx/decode/kv-cache.js';
import { ModelRunner } from '../../lm/onnx/decode/model-runner.js';
import { sampleToken } from '../../lm/onnx/decode/sampler.js';
import { Sequence } from '../../lm/onnx/decode/sequence.js';
import { buildDecodeGraph } from '../../lm/onnx/models/decode-graph.js';
import { DecoderConfig } from '../../lm/onnx/models/decoder-config.js';
import { LoraShape } from '../../lm/onnx/models/lora.js';
import { Weights } from '../../lm/onnx/models/weights.js';
import { ChatTokenizer } from '../../lm/onnx/tokenizer/chat-tokenizer.js';

export interface SampleRequest {
  promptTokenIds: readonly number[];
  sampling: SamplingParams & { seed: number };
}

export interface PolicySamplerOptions {
  config: DecoderConfig;
  tokenizer: ChatTokenizer;
  /** Of the base model; stay as they are when there is an adapter. */
  weights: Weights;
  lora: LoraShape | null;
  threads: number;
  /** Completions that decode side by side. */
  maxConcurrent: number;
}

/** A request whose prompt was read. */
interface Group {
  request: number;
  prompt: KvCache;
  sequences: Sequence[];
}

/**
 * Samples groups of completions from weights in memory. A group's prompt is read once and its keys and values are shared
 * by its completions; groups begin and end together in waves, so that the same weights and seeds give the same
 * completions. Tokens and log-probabilities come from the sampler that serves.
 */
export class PolicySampler {
  private reader: ModelRunner | null = null;
  private writer: ModelRunner | null = null;
  private readonly shape: KvShape;
  private readonly scratch: Float64Array;

  constructor(private readonly options: PolicySamplerOptions) {
    const { layers, kvHeads, headDim, vocabSize } = options.config;
    this.shape = { layers, kvHeads, headDim };
    this.scratch = new Float64Array(vocabSize);
  }

  /** Takes the trained weights as they are now: all of a model, or an adapter. */
  async update(trained: Weights): Promise<void> {
    const { lora } = this.options;
    if (lora === null || this.reader === null) {
      await this.close();
      const weights = lora === null ? trained : this.options.weights;
      this.reader = await this.createRunner(weights, false);
      this.writer = await this.createRunner(weights, true);
    }
    if (lora !== null) [this.reader, this.writer].forEach((runner) => runner!.useAdapter(trained));
  }

  /**
   * @param n completions of each request
   * @returns the completions of each request, in order
   */
  async sample(requests: readonly SampleRequest[], n: number, signal: AbortSignal): Promise<Completion[][]> {
    const { maxConcurrent } = this.options;
    const results: Completion[][] = [];
    const perWave = Math.max(1, Math.floor(maxConcurrent / n));
    for (let from = 0; from < requests.length; from += perWave)
      results.push(...(await this.wave(requests.slice(from, from + perWave), n, signal)));
    return results;
  }

  async close(): Promise<void> {
    await this.reader?.release();
    await this.writer?.release();
    this.reader = this.writer = null;
  }

  private async wave(
    requests: readonly SampleRequest[],
    n: number,
    signal: AbortSignal,
  ): Promise<Completion[][]> {
    const all: Group[] = [];
    for (const [i, request] of requests.entries()) {
      all.push(await this.begin(request, i, n));
      signal.throwIfAborted();
    }
    let live = all.filter((group) => !isOver(group));
    let prompts = this.packPrompts(live);
    let own = emptyCache(this.shape, live.length * n);
    while (live.length > 0) {
      const tokens = live.flatMap(({ sequences }) => sequences.map(({ lastTokenId }) => lastTokenId));
      const { cache, logits } = await this.writer!.step(own, tokens, prompts);
      own = cache;
      live.forEach(({ sequences }, group) =>
        sequences.forEach((sequence, i) => this.extend(sequence, logits[group * n + i]!)),
      );
      const staying = live.map((group) => !isOver(group));
      if (staying.includes(false)) {
        own = packRows(
          staying.flatMap((stays, group) =>
            stays ? Array.from({ length: n }, (_, i) => ({ cache: own, row: group * n + i })) : [],
          ),
          this.shape,
        );
        live = live.filter((_, group) => staying[group]);
        prompts = this.packPrompts(live);
      }
      signal.throwIfAborted();
    }
    return all.map(({ sequences }) => sequences.map((sequence) => sequence.toCompletion()));
  }

  /** Reads the prompt and draws the first token of each completion. */
  private async begin(
    { promptTokenIds, sampling }: SampleRequest,
    request: number,
    n: number,
  ): Promise<Group> {
    const { config, tokenizer } = this.options;
    const { cache, logits } = await this.reader!.step(emptyCache(this.shape, 1), promptTokenIds);
    const sequences = Array.from({ length: n }, (_, index) => {
      const sequence = new Sequence({
        index,
        sampling,
        endTokenIds: tokenizer.endTokenIds,
        maxLength: config.maxPositions - promptTokenIds.length,
        detokenizer: tokenizer.createDetokenizer(),
        onText: () => undefined,
      });
      this.extend(sequence, logits[0]!);
      return sequence;
    });
    return { request, prompt: cache, sequences };
  }

  /** A finished completion stays in the batch until its whole group has ended. */
  private extend(sequence: Sequence, logits: Float32Array): void {
    if (!sequence.isFinished)
      sequence.accept(sampleToken(logits, sequence.sampling, sequence.random, this.scratch));
  }

  private packPrompts(groups: readonly Group[]): KvCache {
    return packRows(
      groups.map(({ prompt }) => ({ cache: prompt, row: 0 })),
      this.shape,
    );
  }

  private createRunner(weights: Weights, sharesPrompt: boolean): Promise<ModelRunner> {
    const { config, lora, threads } = this.options;
    const { model } = buildDecodeGraph(config, weights, { lora, sharesPrompt });
    return ModelRunner.create(model, { shape: this.shape, threads, executionProvider: 'cpu' });
  }
}

function isOver({ sequences }: Group): boolean {
  return sequences.every(({ isFinished }) => isFinished);
}
