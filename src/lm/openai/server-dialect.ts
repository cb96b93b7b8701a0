import { ChatCompletionCreateParamsStreaming } from 'openai/resources/chat/completions';
import { GenerationRequest } from '../language-model.js';

/** Fields that not every server takes. */
const OPTIONAL_FIELDS = {
  /** vLLM: token ids as sampled. */
  return_token_ids: true,
  // vLLM fills the next three from the model's generation_config.json where they are not sent (Qwen2.5 ships top_k 20
  // and a repetition penalty of 1.05), which would bias the log-probabilities.
  top_k: -1,
  min_p: 0,
  repetition_penalty: 1,
  logprobs: true,
  top_logprobs: 0,
  stream_options: { include_usage: true },
} as const;

type OptionalField = keyof typeof OPTIONAL_FIELDS;

/** Beyond OpenAI's own protocol: what a strict server is most likely to refuse. */
const EXTENSIONS: readonly OptionalField[] = ['return_token_ids', 'top_k', 'min_p', 'repetition_penalty'];

/** Which fields a server takes. */
export class ServerDialect {
  constructor(
    private readonly dropped: ReadonlySet<OptionalField> = new Set(),
    private readonly lengthField: 'max_tokens' | 'max_completion_tokens' = 'max_tokens',
  ) {}

  body(model: string, { messages, sampling, n }: GenerationRequest): ChatCompletionCreateParamsStreaming {
    const { maxTokens, temperature, topP, seed, stop } = sampling;
    const optional = Object.entries(OPTIONAL_FIELDS).filter(
      ([field]) => !this.dropped.has(field as OptionalField),
    );
    return {
      model,
      messages: messages.map(({ role, content }) => ({ role, content })),
      stream: true,
      temperature,
      top_p: topP,
      [this.lengthField]: maxTokens,
      ...(n > 1 ? { n } : {}),
      ...(seed === undefined ? {} : { seed }),
      ...(stop.length > 0 ? { stop: [...stop] } : {}),
      ...Object.fromEntries(optional),
    };
  }

  /**
   * The dialect to try next after a refusal (400 or 422), or null where nothing is left to leave out. Fields that the
   * message names are left out; where it names none, those beyond OpenAI's protocol are.
   */
  without(message: string): ServerDialect | null {
    if (this.lengthField === 'max_tokens' && message.includes('max_completion_tokens'))
      return new ServerDialect(this.dropped, 'max_completion_tokens');
    const fields = Object.keys(OPTIONAL_FIELDS) as OptionalField[];
    const named = fields.filter((field) => new RegExp(`\\b${field}\\b`).test(message));
    // top_logprobs means nothing without logprobs.
    if (named.includes('logprobs')) named.push('top_logprobs');
    const fresh = (named.length > 0 ? named : EXTENSIONS).filter((field) => !this.dropped.has(field));
    return fresh.length > 0
      ? new ServerDialect(new Set([...this.dropped, ...fresh]), this.lengthField)
      : null;
  }
}
