import { APIConnectionError, APIError } from 'openai';
import { SaccadeError } from '../errors/saccade-error.js';

/** A model server that we call: how it is named in errors, and the prefix of its settings. */
export interface Upstream {
  name: 'lm' | 'vlm';
  label: string;
  settings: 'LM' | 'VLM';
}

export const LM: Upstream = { name: 'lm', label: 'language model', settings: 'LM' };
export const VLM: Upstream = { name: 'vlm', label: 'vision-language model', settings: 'VLM' };

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
export function toUpstreamError(
  error: unknown,
  apiKey: string | undefined,
  upstream: Upstream,
): SaccadeError {
  const { name, label, settings } = upstream;
  if (error instanceof SaccadeError) return error;
  const text = redact(error instanceof Error ? error.message : String(error), apiKey).slice(
    0,
    MAX_QUOTED_CHARACTERS,
  );
  // The original may hold headers and the body of the request; only its text goes on.
  const fail = (code: string, message: string, retryable: boolean): SaccadeError =>
    new SaccadeError('upstream', `${name}_${code}`, message, {
      upstream: name,
      retryable,
      cause: new Error(text),
    });
  const status =
    error instanceof APIError && !(error instanceof APIConnectionError) ? error.status : undefined;
  if (status === 401 || status === 403)
    return fail(
      'unauthorised',
      `The ${label} server refused our key (${status}). Check ${settings}_API_KEY.`,
      false,
    );
  if (status === 404)
    return fail(
      'model_missing',
      `The ${label} server answered 404: ${text}. Check ${settings}_BASE_URL and ${settings}_MODEL.`,
      false,
    );
  if (status === 429)
    return fail('rate_limited', `The ${label} server asks us to slow down (429). Try again later.`, true);
  if (
    status !== undefined &&
    status < 500 &&
    /context length|context window|maximum context|too long/i.test(text)
  )
    return new SaccadeError(
      'too_large',
      'prompt_too_long',
      `The prompt is too long for the ${label}: ${text}`,
      {
        field: 'messages',
        upstream: name,
        cause: new Error(text),
      },
    );
  if (status !== undefined && status < 500)
    return fail('rejected', `The ${label} server rejected the request: ${text}`, false);
  if (status !== undefined)
    return fail('failed', `The ${label} server failed (${status}). Try again later.`, true);
  if (error instanceof SyntaxError)
    return fail('garbage', `The ${label} server sent something that is no completion.`, true);
  return fail(
    'unreachable',
    `The connection to the ${label} server failed: ${text}. Check ${settings}_BASE_URL and that the server runs.`,
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
  return error instanceof TypeError || (error instanceof SaccadeError && error.code.endsWith('_stream_cut'));
}
