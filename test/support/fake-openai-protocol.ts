import { FakeChoice, FakeReply } from './fake-openai-replies.js';

type Answer = Extract<FakeReply, { kind: 'answer' }>;

export interface CompletionBody {
  model: string;
  stream?: boolean;
  n?: number;
  logprobs?: unknown;
  return_token_ids?: boolean;
  stream_options?: { include_usage?: boolean };
}

/** Which endpoint answers: `/v1/chat/completions` or `/v1/completions`. */
export type Endpoint = 'chat' | 'text';

const CREATED = 1_764_547_200;

function envelope(endpoint: Endpoint, body: CompletionBody, chunk: boolean): Record<string, unknown> {
  const object =
    endpoint === 'text' ? 'text_completion' : chunk ? 'chat.completion.chunk' : 'chat.completion';
  return { id: 'cmpl-fake', object, created: CREATED, model: body.model };
}

function logprobsOf(endpoint: Endpoint, choice: FakeChoice, from: number, to: number): unknown {
  const tokens = (choice.tokens ?? []).slice(from, to);
  if (choice.tokens === undefined) return null;
  if (endpoint === 'text')
    return {
      tokens: tokens.map((t) => t.text),
      token_logprobs: tokens.map((t) => t.logprob),
      top_logprobs: null,
    };
  return {
    content: tokens.map((t) => ({
      token: t.text,
      logprob: t.logprob,
      bytes: [...Buffer.from(t.text)],
      top_logprobs: [],
    })),
  };
}

/** Whether the request asked for log-probabilities: a flag in chat, a count in text completions. */
function wantsLogprobs(body: CompletionBody): boolean {
  return body.logprobs !== undefined && body.logprobs !== null && body.logprobs !== false;
}

function usageOf(reply: Answer): Record<string, number> {
  const counted = reply.choices.reduce(
    (sum, c) => sum + (c.tokens?.length ?? Math.ceil(c.content.length / 4)),
    0,
  );
  const usage = reply.usage ?? {
    prompt_tokens: reply.promptTokenIds?.length ?? 7,
    completion_tokens: counted,
  };
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}

/** The whole answer as one JSON body. */
export function renderCompletion(
  endpoint: Endpoint,
  body: CompletionBody,
  reply: Answer,
): Record<string, unknown> {
  const choices = reply.choices.map((choice, index) => ({
    index,
    ...(endpoint === 'text'
      ? { text: choice.content }
      : {
          message: {
            role: 'assistant',
            content: choice.content,
            refusal: null,
            ...(choice.reasoning === undefined
              ? {}
              : { [choice.reasoningField ?? 'reasoning_content']: choice.reasoning }),
          },
        }),
    logprobs: wantsLogprobs(body) ? logprobsOf(endpoint, choice, 0, Infinity) : null,
    finish_reason: choice.finishReason ?? 'stop',
    ...(body.return_token_ids && choice.tokens ? { token_ids: choice.tokens.map((t) => t.id) } : {}),
  }));
  const promptIds =
    body.return_token_ids && reply.promptTokenIds ? { prompt_token_ids: reply.promptTokenIds } : {};
  return { ...envelope(endpoint, body, false), choices, usage: usageOf(reply), ...promptIds };
}

/** The pieces of one choice: one per token where tokens are listed, else runs of characters. */
function pieces(choice: FakeChoice, chunkCharacters: number): { text: string; from: number; to: number }[] {
  if (choice.tokens) return choice.tokens.map((token, i) => ({ text: token.text, from: i, to: i + 1 }));
  const characters = [...choice.content];
  const runs: { text: string; from: number; to: number }[] = [];
  for (let i = 0; i < characters.length; i += chunkCharacters)
    runs.push({ text: characters.slice(i, i + chunkCharacters).join(''), from: 0, to: 0 });
  return runs;
}

/** The answer as the SSE events of a stream, choices interleaved as a batching server sends them. */
export function renderChunks(
  endpoint: Endpoint,
  body: CompletionBody,
  reply: Answer,
): Record<string, unknown>[] {
  const base = envelope(endpoint, body, true);
  const events: Record<string, unknown>[] = [];
  const emit = (index: number, delta: Record<string, unknown>, more: Record<string, unknown> = {}): void => {
    const payload = endpoint === 'text' ? { text: delta.content ?? '' } : { delta };
    events.push({ ...base, choices: [{ index, ...payload, logprobs: null, finish_reason: null, ...more }] });
  };
  reply.choices.forEach((choice, index) => {
    emit(index, { role: 'assistant', content: '' });
    if (choice.reasoning !== undefined)
      for (const part of choice.reasoning.match(/.{1,5}/gsu) ?? [])
        emit(index, { [choice.reasoningField ?? 'reasoning_content']: part });
  });
  if (body.return_token_ids && reply.promptTokenIds && events[0])
    events[0].prompt_token_ids = reply.promptTokenIds;
  const queues = reply.choices.map((choice) => pieces(choice, reply.chunkCharacters ?? 4));
  for (let step = 0; queues.some((queue) => step < queue.length); step++)
    reply.choices.forEach((choice, index) => {
      const piece = queues[index][step];
      if (piece === undefined) return;
      emit(
        index,
        { content: piece.text },
        {
          logprobs: wantsLogprobs(body) ? logprobsOf(endpoint, choice, piece.from, piece.to) : null,
          ...(body.return_token_ids && choice.tokens
            ? { token_ids: choice.tokens.slice(piece.from, piece.to).map((t) => t.id) }
            : {}),
        },
      );
    });
  reply.choices.forEach((choice, index) => emit(index, {}, { finish_reason: choice.finishReason ?? 'stop' }));
  if (body.stream_options?.include_usage) events.push({ ...base, choices: [], usage: usageOf(reply) });
  return events;
}
