/** Seconds of the rate that may come at once. */
const BURST_S = 2;
/** Abuse is this many times the rate, for this long. */
const ABUSE_FACTOR = 10;
const ABUSE_MS = 5000;

/** A token bucket: so much a second, with bursts of two seconds' worth. */
export class RateLimit {
  private tokens: number;
  private offered = 0;
  private lastMs: number;
  private windowMs: number;

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.tokens = Math.max(1, perSecond * BURST_S);
    this.lastMs = this.windowMs = now();
  }

  /** Whether the amount is within the rate; takes it if so. An amount above a whole burst passes when the bucket is full. */
  take(amount: number): boolean {
    const nowMs = this.now();
    const full = Math.max(1, this.perSecond * BURST_S);
    this.tokens = Math.min(full, this.tokens + ((nowMs - this.lastMs) / 1000) * this.perSecond);
    this.lastMs = nowMs;
    if (nowMs - this.windowMs >= ABUSE_MS) {
      this.windowMs = nowMs;
      this.offered = 0;
    }
    this.offered += amount;
    if (this.tokens < Math.min(amount, full)) return false;
    this.tokens -= amount;
    return true;
  }

  /** Whether far more than the rate was offered in the last seconds. */
  get isAbused(): boolean {
    return this.offered > ABUSE_FACTOR * this.perSecond * (ABUSE_MS / 1000);
  }
}
