import { cancelled, SaccadeError } from '../errors/saccade-error.js';

/**
 * Runs work under the caller's signal and a time limit, and tells the two apart when it stops.
 * @throws SaccadeError deadline or cancelled, whatever the aborted work threw
 */
export async function withDeadline<T>(
  caller: AbortSignal,
  timeoutMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([caller, timer]);
  try {
    return await work(signal);
  } catch (error) {
    if (caller.aborted) throw cancelled('The question');
    if (timer.aborted) {
      throw new SaccadeError(
        'deadline',
        'question_timeout',
        `The question took longer than ${timeoutMs} ms (REQUEST_TIMEOUT_MS). Send a shorter video, or raise the limit.`,
        {
          limit: timeoutMs,
          cause: error,
        },
      );
    }
    throw error;
  }
}
