import { setTimeout as delay } from 'node:timers/promises';
import { cancelled } from '../../errors/saccade-error.js';

const FIRST_MS = 100;
const LONGEST_MS = 5000;

/**
 * Tries until the work succeeds, fails for good, or the signal is aborted; waits longer each time.
 * @throws SaccadeError cancelled, or what the work throws for good
 */
export async function retryUntil<T>(
  work: () => Promise<T>,
  mayRetry: (error: unknown) => boolean,
  signal: AbortSignal,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    if (signal.aborted) throw cancelled('The session');
    try {
      return await work();
    } catch (error) {
      if (!mayRetry(error)) throw error;
      await pause(tries, signal);
    }
  }
}

/** @throws SaccadeError cancelled */
export async function pause(tries: number, signal: AbortSignal): Promise<void> {
  const ms = Math.min(LONGEST_MS, FIRST_MS * 2 ** tries);
  await delay(ms, undefined, { signal }).catch(() => {
    throw cancelled('The session');
  });
}
