export interface ChatMessage {
  role: 'system' | 'user' | 'assistant';
  content: string;
}

export interface SamplingParams {
  maxTokens: number;
  /** 0 is greedy. */
  temperature: number;
  /** 1 is off. */
  topP: number;
  seed?: number;
  /** Generation ends before the first of these texts. */
  stop: readonly string[];
}

export interface GenerationRequest {
  messages: readonly ChatMessage[];
  sampling: SamplingParams;
  /** Completions of the same prompt. */
  n: number;
  signal: AbortSignal;
  /** Called with each new piece of text of completion `index`, in order. */
  onDelta?: (index: number, text: string) => void;
}

export type FinishReason =
  | 'stop' // an end token or a stop text
  | 'length'; // maxTokens or the context was used up

export interface Completion {
  text: string;
  /** As sampled, end token included; null when the server does not tell. Never re-tokenised from text. */
  tokenIds: number[] | null;
  /**
   * Log-probability of each sampled token under the sampling distribution (temperature applied, before top-p; at
   * temperature 0 the model's own); null when not told.
   */
  logprobs: number[] | null;
  finishReason: FinishReason;
}

export interface Generation {
  /** The version that sampled every token of it. */
  policyVersion: string;
  promptTokenIds: number[] | null;
  completions: Completion[];
  usage: { promptTokens: number; completionTokens: number };
}

/** Port: samples completions from the small reasoning model. */
export interface LanguageModel {
  /** Policy version that serves, such as `base`. */
  readonly policyVersion: string;
  /** Tokens of prompt and completion together. */
  readonly contextLength: number;
  generate(request: GenerationRequest): Promise<Generation>;
  /** Cheap check that the model can serve; throws an upstream error when it cannot. */
  check(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}
