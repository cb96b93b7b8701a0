import { APIConnectionError, APIError } from 'openai';
import { SaccadeError } from '../../errors/saccade-error.js';

/** The longest part of a server's message that is passed on. */
const MAX_QUOTED_CHARACTERS = 300;

/** Hides the key, and anything that looks like one, wherever a server or a library repeats it. */
export function redact(text: string, apiKey: string | undefined): string {
  const hidden = apiKey ? text.replaceAll(apiKey, '[key]') : text;
  return hidden
    .replace(/\b(sk|pk|hf|gsk)[-_][\w*.-]{4,}/g, '[key]')
    .replace(/Bearer\s+\S+/gi, 'Bearer [key]');
}

/** A failed call as an error for the person who asked; names the setting to look at, never the key. */
export function toUpstreamError(error: unknown, apiKey: string | undefined): SaccadeError {
  if (error instanceof SaccadeError) return error;
  const text = redact(error instanceof Error ? error.message : String(error), apiKey).slice(
    0,
    MAX_QUOTED_CHARACTERS,
  );
  // The original may hold headers and the body of the request; only its text goes on.
  const fail = (code: string, message: string, retryable: boolean): SaccadeError =>
    new SaccadeError('upstream', code, message, { upstream: 'lm', retryable, cause: new Error(text) });
  const status =
    error instanceof APIError && !(error instanceof APIConnectionError) ? error.status : undefined;
  if (status === 401 || status === 403)
    return fail(
      'lm_unauthorised',
      `The language model server refused our key (${status}). Check LM_API_KEY.`,
      false,
    );
  if (status === 404)
    return fail(
      'lm_model_missing',
      `The language model server answered 404: ${text}. Check LM_BASE_URL and LM_MODEL.`,
      false,
    );
  if (status === 429)
    return fail(
      'lm_rate_limited',
      'The language model server asks us to slow down (429). Try again later.',
      true,
    );
  if (
    status !== undefined &&
    status < 500 &&
    /context length|context window|maximum context|too long/i.test(text)
  )
    return new SaccadeError(
      'too_large',
      'prompt_too_long',
      `The prompt is too long for the language model: ${text}`,
      {
        field: 'messages',
        upstream: 'lm',
        cause: new Error(text),
      },
    );
  if (status !== undefined && status < 500)
    return fail('lm_rejected', `The language model server rejected the request: ${text}`, false);
  if (status !== undefined)
    return fail('lm_failed', `The language model server failed (${status}). Try again later.`, true);
  if (error instanceof SyntaxError)
    return fail('lm_garbage', 'The language model server sent something that is no completion.', true);
  return fail(
    'lm_unreachable',
    `The connection to the language model server failed: ${text}. Check LM_BASE_URL and that the server runs.`,
    true,
  );
}

/** Whether another try of the same call makes sense. */
export function isTransient(error: unknown): boolean {
  if (error instanceof APIConnectionError) return true;
  if (error instanceof APIError)
    return (
      error.status === undefined ||
      error.status === 408 ||
      error.status === 409 ||
      error.status === 429 ||
      error.status >= 500
    );
  // undici: the connection dropped while the body was read.
  return error instanceof TypeError || (error instanceof SaccadeError && error.code === 'lm_stream_cut');
}
