const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;

/** Full-range jitter keeps clients that failed together from coming back together. */
export function backoffMs(attempt: number, random: () => number = Math.random): number {
  return Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random() / 2);
}

/** What the server asks for: `Retry-After` in seconds or as a date, or OpenAI's `retry-after-ms`; null where it does not. */
export function retryAfterMs(
  headers: { get(name: string): string | null } | undefined,
  nowMs: number,
): number | null {
  const milliseconds = Number.parseFloat(headers?.get('retry-after-ms') ?? '');
  if (milliseconds >= 0) return milliseconds;
  const value = headers?.get('retry-after') ?? '';
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
