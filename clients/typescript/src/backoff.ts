export interface ReconnectOptions {
  /** Attempts in a row before it gives up; 0 for none. */
  maxAttempts: number;
  /** First wait; doubles with each attempt. */
  baseMs: number;
  maxMs: number;
}

export const DEFAULT_RECONNECT: ReconnectOptions = { maxAttempts: 10, baseMs: 250, maxMs: 10_000 };

/** Wait before an attempt (from 0): doubling, with jitter, so that clients that lost one server do not come back as one. */
export function waitMs({ baseMs, maxMs }: ReconnectOptions, attempt: number, random: () => number): number {
  return Math.min(maxMs, baseMs * 2 ** attempt) * (0.5 + random() / 2);
}
