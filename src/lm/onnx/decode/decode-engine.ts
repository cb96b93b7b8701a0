import { SaccadeError } from '../../../errors/saccade-error.js';
import { Completion, Generation, SamplingParams } from '../../language-model.js';
import { ChatTokenizer } from '../tokenizer/chat-tokenizer.js';
import { emptyCache, KvCache, KvRow, KvShape, packRows } from './kv-cache.js';
import { ModelRunner } from './model-runner.js';
import { sampleToken } from './sampler.js';
import { Sequence } from './sequence.js';

export interface DecodeEngineOptions {
  runner: ModelRunner;
  shape: KvShape;
  tokenizer: ChatTokenizer;
  contextLength: number;
  vocabularySize: number;
  /** Completions that decode side by side. */
  maxConcurrentSequences: number;
  /** Requests that may wait for their turn. */
  maxQueued: number;
  /** Prompt tokens that one step takes, so that a long prompt does not hold up the others. */
  prefillChunkTokens: number;
}

export interface DecodeJob {
  promptTokenIds: readonly number[];
  sampling: SamplingParams & { seed: number };
  n: number;
  onDelta: (index: number, text: string) => void;
  onDone: (generation: Omit<Generation, 'policyVersion'>) => void;
  onFailed: (error: unknown) => void;
}

/** A request between its first and last token. */
interface Active {
  job: DecodeJob;
  /** The prompt, [1, KV, P, D]; dropped once every completion has branched off. */
  prompt: KvCache;
  /** After the prompt's last token. */
  logits: Float32Array | null;
  started: number;
  finished: (Completion | null)[];
}

interface Running {
  active: Active;
  sequence: Sequence;
}

/**
 * Advances all requests of one policy together. Each step takes one chunk of the next prompt and one token of every
 * running completion; completions of any request join and leave the batch between steps.
 */
export class DecodeEngine {
  private readonly waiting: DecodeJob[] = [];
  /** The request whose prompt is being read, or whose completions have not all found a place yet. */
  private entering: Active | null = null;
  private running: Running[] = [];
  private batch: KvCache;
  private readonly cancelled = new Set<DecodeJob>();
  private readonly scratch: Float64Array;

  constructor(private readonly options: DecodeEngineOptions) {
    this.batch = emptyCache(options.shape, 0);
    this.scratch = new Float64Array(options.vocabularySize);
  }

  get isIdle(): boolean {
    return this.waiting.length === 0 && this.entering === null && this.running.length === 0;
  }

  submit(job: DecodeJob): void {
    const { contextLength, maxQueued } = this.options;
    const length = job.promptTokenIds.length;
    if (length >= contextLength)
      throw new SaccadeError(
        'too_large',
        'prompt_too_long',
        `The prompt has ${length} tokens; the model's context holds ${contextLength}, completion included. Ask about a shorter video or fewer keyframes.`,
        { field: 'messages', limit: contextLength },
      );
    if (this.waiting.length >= maxQueued)
      throw new SaccadeError(
        'overloaded',
        'lm_queue_full',
        `${maxQueued} requests already wait for the language model. Try again later.`,
        { limit: maxQueued },
      );
    this.waiting.push(job);
  }

  /**
   * Forgets a request. Its completions leave the batch when the next step begins: a step that is under way still
   * counts on its rows.
   */
  cancel(job: DecodeJob): void {
    const at = this.waiting.indexOf(job);
    if (at >= 0) this.waiting.splice(at, 1);
    else this.cancelled.add(job);
  }

  /** One step. A failure of the model fails every request in it and leaves the engine usable. */
  async step(): Promise<void> {
    try {
      this.dropCancelled();
      await this.enter();
      await this.advance();
    } catch (error) {
      this.failAll(error);
    }
  }

  private dropCancelled(): void {
    if (this.cancelled.size === 0) return;
    if (this.entering !== null && this.cancelled.has(this.entering.job)) this.entering = null;
    this.keep(this.running.map(({ active }) => !this.cancelled.has(active.job)));
    this.cancelled.clear();
  }

  /** Reads one chunk of the next prompt, or starts completions of one that is read. */
  private async enter(): Promise<void> {
    const { shape, runner, prefillChunkTokens, maxConcurrentSequences } = this.options;
    if (this.entering === null && this.running.length < maxConcurrentSequences) {
      const job = this.waiting.shift();
      if (job === undefined) return;
      this.entering = {
        job,
        prompt: emptyCache(shape, 1),
        logits: null,
        started: 0,
        finished: new Array<null>(job.n).fill(null),
      };
    }
    const entering = this.entering;
    if (entering === null) return;
    if (entering.logits === null) {
      const done = entering.prompt.slots;
      const ids = entering.job.promptTokenIds;
      const chunk = ids.slice(done, done + prefillChunkTokens);
      const result = await runner.step(entering.prompt, chunk);
      entering.prompt = result.cache;
      if (done + chunk.length < ids.length) return;
      entering.logits = result.logits[0];
    }
    this.branch(entering, entering.logits);
  }

  /** Starts as many completions as there is room for, each from the prompt's own keys and values. */
  private branch(entering: Active, logits: Float32Array): void {
    const joining: Running[] = [];
    const { maxConcurrentSequences } = this.options;
    while (
      entering.started < entering.job.n &&
      this.running.length + joining.length < maxConcurrentSequences
    ) {
      const sequence = this.createSequence(entering, entering.started++);
      sequence.accept(sampleToken(logits, sequence.sampling, sequence.random, this.scratch));
      if (sequence.isFinished) this.settle({ active: entering, sequence });
      else joining.push({ active: entering, sequence });
    }
    if (entering.started === entering.job.n && this.entering === entering) this.entering = null;
    if (joining.length === 0) return;
    const rows: KvRow[] = this.running.map((_, row) => ({ cache: this.batch, row }));
    for (let i = 0; i < joining.length; i++) rows.push({ cache: entering.prompt, row: 0 });
    this.batch = packRows(rows, this.options.shape);
    this.running.push(...joining);
  }

  private createSequence(active: Active, index: number): Sequence {
    const { job } = active;
    return new Sequence({
      index,
      sampling: job.sampling,
      endTokenIds: this.options.tokenizer.endTokenIds,
      maxLength: this.options.contextLength - job.promptTokenIds.length,
      detokenizer: this.options.tokenizer.createDetokenizer(),
      onText: (text) => job.onDelta(index, text),
    });
  }

  /** One token for every running completion. */
  private async advance(): Promise<void> {
    if (this.running.length === 0) return;
    const tokens = this.running.map(({ sequence }) => sequence.lastTokenId);
    const { cache, logits } = await this.options.runner.step(this.batch, tokens);
    this.batch = cache;
    this.running.forEach(({ sequence }, row) => {
      sequence.accept(sampleToken(logits[row], sequence.sampling, sequence.random, this.scratch));
    });
    const finished = this.running.filter(({ sequence }) => sequence.isFinished);
    this.keep(this.running.map(({ sequence }) => !sequence.isFinished));
    finished.forEach((running) => this.settle(running));
  }

  /** Keeps the rows that are marked and closes the gaps. */
  private keep(marks: readonly boolean[]): void {
    if (!marks.includes(false)) return;
    const rows = marks.flatMap((mark, row) => (mark ? [{ cache: this.batch, row }] : []));
    this.batch = packRows(rows, this.options.shape);
    this.running = this.running.filter((_, row) => marks[row]);
  }

  private settle({ active, sequence }: Running): void {
    active.finished[sequence.index] = sequence.toCompletion();
    const completions = active.finished.filter((completion) => completion !== null);
    if (completions.length < active.job.n) return;
    const promptTokenIds = [...active.job.promptTokenIds];
    const completionTokens = completions.reduce((sum, { tokenIds }) => sum + (tokenIds?.length ?? 0), 0);
    active.job.onDone({
      promptTokenIds,
      completions,
      usage: { promptTokens: promptTokenIds.length, completionTokens },
    });
  }

  private failAll(error: unknown): void {
    const jobs = new Set(this.running.map(({ active }) => active.job));
    if (this.entering !== null) jobs.add(this.entering.job);
    this.entering = null;
    this.running = [];
    this.batch = emptyCache(this.options.shape, 0);
    for (const job of jobs) job.onFailed(error);
  }
}
