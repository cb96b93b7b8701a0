import { randomInt } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { cancelled, SaccadeError } from '../../errors/saccade-error.js';
import { Generation, GenerationRequest, LanguageModel } from '../language-model.js';
import { checkRequest } from '../sampling-limits.js';
import { DecodeClient } from './decode/decode-client.js';
import { PolicySource } from './decode/decode-messages.js';

export interface OnnxLanguageModelOptions {
  /** A Hugging Face directory: config.json, tokenizer.json, tokenizer_config.json, *.safetensors. */
  directory: string;
  /** Name of the policy in this directory; `base` by default. */
  policyVersion?: string;
  /** Threads of the decoder; 1 by default, which leaves the other cores to the api. */
  threads?: number;
  executionProvider?: 'cpu' | 'cuda';
  /** Completions that decode side by side; 16 by default. */
  maxConcurrentSequences?: number;
  /** Requests that may wait before new ones are refused; 64 by default. */
  maxQueued?: number;
  /** Prompt tokens read between two steps of the running completions; 128 by default. */
  prefillChunkTokens?: number;
  /** Caps prompt and completion together; the model's own limit by default. */
  maxContextLength?: number;
  /** Starts the decode worker; for tests that need to stop it. */
  spawnWorker?: () => Worker;
}

// Seeds drawn for requests without one; crypto.randomInt allows less than 2^48.
const SEED_RANGE = 2 ** 47;

/** The small reasoning model on our own runtime, in a worker thread of this process. */
export class OnnxLanguageModel implements LanguageModel {
  private readonly inUse = new Map<string, number>();

  private constructor(
    private readonly client: DecodeClient,
    private active: PolicySource,
    private activeContextLength: number,
  ) {}

  /** Reads the model and resolves once it can serve. */
  static async load(options: OnnxLanguageModelOptions): Promise<OnnxLanguageModel> {
    const client = new DecodeClient(options.spawnWorker);
    const source: PolicySource = {
      version: options.policyVersion ?? 'base',
      directory: options.directory,
      threads: options.threads ?? 1,
      executionProvider: options.executionProvider ?? 'cpu',
      maxConcurrentSequences: options.maxConcurrentSequences ?? 16,
      maxQueued: options.maxQueued ?? 64,
      prefillChunkTokens: options.prefillChunkTokens ?? 128,
      maxContextLength: options.maxContextLength ?? null,
    };
    try {
      const { contextLength } = await client.load(source);
      return new OnnxLanguageModel(client, source, contextLength);
    } catch (error) {
      await client.close();
      throw error;
    }
  }

  get policyVersion(): string {
    return this.active.version;
  }

  get contextLength(): number {
    return this.activeContextLength;
  }

  async generate(request: GenerationRequest): Promise<Generation> {
    checkRequest(request);
    const policy = this.active;
    const { version } = policy;
    const { messages, sampling, n, signal, onDelta } = request;
    this.inUse.set(version, (this.inUse.get(version) ?? 0) + 1);
    try {
      await untilAborted(this.client.load(policy), signal);
      const seed = sampling.seed ?? randomInt(SEED_RANGE);
      return await this.client.generate(
        { version, messages, sampling: { ...sampling, seed }, n },
        signal,
        onDelta,
      );
    } finally {
      this.inUse.set(version, (this.inUse.get(version) ?? 1) - 1);
      this.retireUnused(version);
    }
  }

  /**
   * Loads another policy beside the one that serves and switches to it. Requests that began keep theirs to the last
   * token; the old one is unloaded after them.
   */
  async swap(next: { version: string; directory: string }): Promise<void> {
    if (next.version === this.active.version)
      throw new SaccadeError(
        'conflict',
        'policy_version_taken',
        `Policy version ${next.version} is serving already. Give the new files a new version.`,
      );
    const source = { ...this.active, ...next };
    const { contextLength } = await this.client.load(source);
    const previous = this.active.version;
    this.active = source;
    this.activeContextLength = contextLength;
    this.retireUnused(previous);
  }

  async check(signal: AbortSignal): Promise<void> {
    await untilAborted(this.client.load(this.active), signal);
  }

  close(): Promise<void> {
    return this.client.close();
  }

  private retireUnused(version: string): void {
    if (version === this.active.version || (this.inUse.get(version) ?? 0) > 0) return;
    this.inUse.delete(version);
    this.client.retire(version);
  }
}

/** `work`, or an error as soon as `signal` is aborted. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw cancelled('The generation');
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(cancelled('The generation'));
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
