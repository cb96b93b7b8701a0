/** What the fake server is told to answer; {@link FakeOpenAiServer} renders it in the protocol's shapes. */
export interface FakeToken {
  id: number;
  text: string;
  logprob: number;
}

export interface FakeChoice {
  content: string;
  /** Thinking that the server split from the content, as vLLM with a reasoning parser does. */
  reasoning?: string;
  reasoningField?: 'reasoning_content' | 'reasoning';
  /** What was sampled, end token (with empty text) included; streamed one a chunk. Texts join to the content. */
  tokens?: FakeToken[];
  finishReason?: 'stop' | 'length' | 'content_filter';
}

export interface FakeUsage {
  prompt_tokens: number;
  completion_tokens: number;
}

export type FakeReply =
  /** A well-formed answer, as JSON or as an SSE stream, whichever the request asked for. */
  | {
      kind: 'answer';
      choices: FakeChoice[];
      promptTokenIds?: number[];
      usage?: FakeUsage;
      /** Characters a streamed chunk holds when the choice lists no tokens. */
      chunkCharacters?: number;
      /** Streams this many events, then drops the connection. */
      cutAfterEvents?: number;
      /** Streams this many events, then sends nothing more and stays open. */
      hangAfterEvents?: number;
    }
  /** Any JSON body, protocol or not. */
  | { kind: 'json'; body: unknown; status?: number; headers?: Record<string, string> }
  /** Any SSE events: objects are serialised, strings are sent as they are. Ends with `[DONE]` unless `done` is false. */
  | { kind: 'sse'; events: readonly unknown[]; done?: boolean }
  /** An error in OpenAI's shape, such as 429 with `Retry-After`. */
  | { kind: 'error'; status: number; message: string; headers?: Record<string, string>; code?: string }
  /** Bytes that are no protocol. */
  | { kind: 'garbage'; body: string; contentType?: string }
  /** A whole answer's headers, then part of its body, then the connection drops. */
  | { kind: 'cut'; body: string }
  /** Headers never come. */
  | { kind: 'hang' }
  /** The connection drops before an answer. */
  | { kind: 'drop' };

/** One completion whose content is `content`. */
export function answer(content: string, more: Partial<FakeChoice> = {}): FakeReply {
  return { kind: 'answer', choices: [{ content, ...more }] };
}

/** 429 that asks to come back after `retryAfterSeconds`. */
export function tooManyRequests(retryAfterSeconds: number): FakeReply {
  return {
    kind: 'error',
    status: 429,
    message: 'Rate limit reached',
    code: 'rate_limit_exceeded',
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}
