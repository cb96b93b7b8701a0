import { Fault, SaccadeError } from '../../../errors/saccade-error.js';
import { ChatMessage, Generation, SamplingParams } from '../../language-model.js';

/** Where a policy's files are and how it is to run. */
export interface PolicySource {
  version: string;
  /** A Hugging Face directory. */
  directory: string;
  threads: number;
  executionProvider: 'cpu' | 'cuda';
  maxConcurrentSequences: number;
  maxQueued: number;
  prefillChunkTokens: number;
  /** Caps the context below what the model was made for; null leaves it. */
  maxContextLength: number | null;
}

export interface GenerateOrder {
  id: number;
  /** The version that generates every token of this request. */
  version: string;
  messages: readonly ChatMessage[];
  sampling: SamplingParams & { seed: number };
  n: number;
  /** Whether pieces of text are wanted as they come. */
  stream: boolean;
}

/** To the worker. */
export type DecodeOrder =
  | { type: 'load'; policy: PolicySource }
  /** Unloads a version once the requests that it serves are done. */
  | { type: 'retire'; version: string }
  | { type: 'generate'; order: GenerateOrder }
  | { type: 'cancel'; id: number };

/** From the worker. */
export type DecodeReport =
  | { type: 'loaded'; version: string; contextLength: number }
  | { type: 'load-failed'; version: string; error: ErrorOnWire }
  | { type: 'delta'; id: number; index: number; text: string }
  | { type: 'done'; id: number; generation: Generation }
  | { type: 'failed'; id: number; error: ErrorOnWire };

/** A structured clone keeps an error's message but not its class and fields. */
export interface ErrorOnWire {
  fault: Fault;
  code: string;
  message: string;
  field?: string;
  limit?: number | string;
  retryable?: boolean;
  stack?: string;
}

export function toWire(error: unknown): ErrorOnWire {
  if (error instanceof SaccadeError) {
    const { fault, code, message, field, limit, retryable, stack } = error;
    return { fault, code, message, field, limit, retryable, stack };
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return { fault: 'internal', code: 'lm_failed', message: `The language model failed: ${message}`, stack };
}

export function fromWire(wire: ErrorOnWire): SaccadeError {
  const { fault, code, message, field, limit, retryable, stack } = wire;
  return new SaccadeError(fault, code, message, { field, limit, retryable, cause: stack });
}
