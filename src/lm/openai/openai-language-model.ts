import { setTimeout as delay } from 'node:timers/promises';
import OpenAI, { APIError } from 'openai';
import { cancelled, SaccadeError } from '../../errors/saccade-error.js';
import { Generation, GenerationRequest, LanguageModel, SamplingParams } from '../language-model.js';
import { checkRequest } from '../sampling-limits.js';
import { backoffMs, retryAfterMs } from '../../upstream/backoff.js';
import { CompletionAssembler, CompletionChunk } from './completion-assembler.js';
import { RequestGate } from '../../upstream/request-gate.js';
import { ServerDialect } from './server-dialect.js';
import { isTransient, LM, redact, toUpstreamError } from '../../upstream/upstream-errors.js';

export interface OpenAiLanguageModelOptions {
  /** Such as `http://gpu-host:8000/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  /**
   * Tokens of prompt and completion together. By default what the server says when it is checked (vLLM does), until
   * then 8192, the paper's prompt and completion.
   */
  contextLength?: number;
  /** Name of the policy that this model is; the model's name by default. */
  policyVersion?: string;
  /** Longest time one generation may take, tries included; 120 s by default. */
  timeoutMs?: number;
  /** Tries after the first; 2 by default. */
  maxRetries?: number;
  /** Calls in flight; 16 by default. */
  maxConcurrent?: number;
  /** Calls that may wait for their turn; 64 by default. */
  maxQueued?: number;
  /**
   * What the server's log-probabilities are: of the model's own distribution (`raw`, vLLM's default) or of the one
   * it sampled from (`processed`, vLLM's `--logprobs-mode processed_logprobs`).
   */
  logprobsMode?: 'raw' | 'processed';
  /** Waits between tries; for tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const DEFAULT_TIMEOUT_MS = 120_000;
const CHECK_TIMEOUT_MS = 5_000;
const DEFAULT_CONTEXT_LENGTH = 8192;
const DEADLINE = Symbol('deadline');

type VllmModel = OpenAI.Model & { max_model_len?: number | null };

/** The small reasoning model on a server that speaks OpenAI's chat completions, such as vLLM. */
export class OpenAiLanguageModel implements LanguageModel {
  readonly policyVersion: string;
  private readonly client: OpenAI;
  private readonly gate: RequestGate;
  private readonly wait: (ms: number, signal: AbortSignal) => Promise<unknown>;
  private readonly calls = new Set<AbortController>();
  private dialect = new ServerDialect();
  private toldContextLength: number | null = null;

  constructor(private readonly options: OpenAiLanguageModelOptions) {
    this.policyVersion = options.policyVersion ?? options.model;
    this.client = new OpenAI({
      baseURL: options.baseUrl,
      // The client insists on a key; servers without keys ignore it.
      apiKey: options.apiKey || 'none',
      // Settings come from us alone, not from the OPENAI_* variables that the client would read.
      organization: null,
      project: null,
      webhookSecret: null,
      logLevel: 'off',
      maxRetries: 0,
      timeout: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    });
    this.gate = new RequestGate(options.maxConcurrent ?? 16, options.maxQueued ?? 64, LM);
    this.wait = options.wait ?? ((ms, signal) => delay(ms, undefined, { signal }));
  }

  get contextLength(): number {
    return this.options.contextLength ?? this.toldContextLength ?? DEFAULT_CONTEXT_LENGTH;
  }

  async generate(request: GenerationRequest): Promise<Generation> {
    checkRequest(request);
    if (request.signal.aborted) throw cancelled('The generation');
    const timeoutMs = this.options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    const call = new AbortController();
    const abort = (): void => call.abort();
    const deadline = setTimeout(() => call.abort(DEADLINE), timeoutMs);
    request.signal.addEventListener('abort', abort, { once: true });
    this.calls.add(call);
    try {
      return await this.gate.run(call.signal, () => this.attempt(request, call.signal));
    } catch (error) {
      if (call.signal.reason === DEADLINE)
        throw new SaccadeError(
          'deadline',
          'lm_deadline',
          `The language model server took longer than ${timeoutMs} ms.`,
          { limit: timeoutMs, upstream: 'lm' },
        );
      if (call.signal.aborted) throw cancelled('The generation');
      throw toUpstreamError(error, this.options.apiKey, LM);
    } finally {
      clearTimeout(deadline);
      request.signal.removeEventListener('abort', abort);
      this.calls.delete(call);
    }
  }

  async check(signal: AbortSignal): Promise<void> {
    const { model, apiKey } = this.options;
    try {
      const { data } = await this.client.models.list({ signal, timeout: CHECK_TIMEOUT_MS });
      const served: VllmModel | undefined = data.find(({ id }) => id === model);
      if (served !== undefined) {
        this.toldContextLength = served.max_model_len ?? null;
        return;
      }
      throw new SaccadeError(
        'upstream',
        'lm_model_missing',
        `The language model server does not serve ${model}. Check LM_MODEL.`,
        {
          upstream: 'lm',
          retryable: false,
        },
      );
    } catch (error) {
      if (signal.aborted) throw cancelled('The check');
      throw toUpstreamError(error, apiKey, LM);
    }
  }

  close(): Promise<void> {
    for (const call of this.calls) call.abort();
    return Promise.resolve();
  }

  /** Tries until one works; never again once the caller has seen a piece of text. */
  private async attempt(request: GenerationRequest, signal: AbortSignal): Promise<Generation> {
    let dialect = this.dialect;
    for (let attempt = 0; ;) {
      let begun = false;
      try {
        const generation = await this.stream(request, dialect, signal, (index, text) => {
          begun = true;
          request.onDelta?.(index, text);
        });
        // Only what a server accepted is remembered: a refusal may have had another cause, such as a long prompt.
        this.dialect = dialect;
        return generation;
      } catch (error) {
        if (signal.aborted || begun) throw error;
        const simpler = isRefusal(error) ? dialect.without(redact(error.message, this.options.apiKey)) : null;
        if (simpler !== null) {
          dialect = simpler;
          continue;
        }
        if (!isTransient(error) || attempt >= (this.options.maxRetries ?? 2)) throw error;
        const asked = error instanceof APIError ? retryAfterMs(error.headers, Date.now()) : null;
        await this.wait(asked ?? backoffMs(attempt), signal);
        attempt++;
      }
    }
  }

  private async stream(
    request: GenerationRequest,
    dialect: ServerDialect,
    signal: AbortSignal,
    onDelta: (index: number, text: string) => void,
  ): Promise<Generation> {
    const assembler = new CompletionAssembler(request.n, onDelta);
    const stream = await this.client.chat.completions.create(dialect.body(this.options.model, request), {
      signal,
    });
    for await (const chunk of stream) assembler.accept(chunk as CompletionChunk);
    // The client ends a stream quietly when it is aborted.
    signal.throwIfAborted();
    const { completions, ...rest } = assembler.finish();
    const trusted = this.tellsSamplingLogprobs(request.sampling);
    return {
      policyVersion: this.policyVersion,
      completions: completions.map((c) => ({ ...c, logprobs: trusted ? c.logprobs : null })),
      ...rest,
    };
  }

  /** Whether the server's log-probabilities are those of the distribution before top-p with the temperature applied. */
  private tellsSamplingLogprobs({ temperature, topP }: SamplingParams): boolean {
    return this.options.logprobsMode === 'processed' ? topP === 1 : temperature === 0 || temperature === 1;
  }
}

function isRefusal(error: unknown): error is APIError {
  return error instanceof APIError && (error.status === 400 || error.status === 422);
}
