import { SaccadeError } from '../errors/saccade-error.js';
import { GenerationRequest } from './language-model.js';

/** Refuses sampling parameters that no language model could honour. */
export function checkRequest({ messages, n, sampling }: GenerationRequest): void {
  const { maxTokens, temperature, topP, seed } = sampling;
  if (messages.length === 0) throw invalid('messages', 'must hold at least one message');
  if (!Number.isInteger(n) || n < 1) throw invalid('n', 'must be a whole number from 1');
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    throw invalid('max_tokens', 'must be a whole number from 1');
  if (!Number.isFinite(temperature) || temperature < 0) throw invalid('temperature', 'must be 0 or more');
  if (!(topP > 0 && topP <= 1)) throw invalid('top_p', 'must be above 0 and at most 1');
  if (seed !== undefined && (!Number.isSafeInteger(seed) || seed < 0))
    throw invalid('seed', 'must be a whole number from 0');
}

function invalid(field: string, rule: string): SaccadeError {
  return new SaccadeError('input', 'invalid_sampling', `${field} ${rule}.`, { field });
}
