/**
 * Finds stop texts in text that comes in pieces. The end of the text is held back while it could still become a stop
 * text, so nothing of one is ever passed on, wherever the pieces break.
 */
export class StopScanner {
  private held = '';
  private readonly stops: readonly string[];

  constructor(stops: readonly string[]) {
    this.stops = stops.filter((stop) => stop.length > 0);
  }

  /** The text that is safe to pass on, and whether a stop text was reached right after it. */
  push(piece: string): { text: string; stopped: boolean } {
    const text = this.held + piece;
    const found = this.stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0);
    if (found.length > 0) {
      this.held = '';
      return { text: text.slice(0, Math.min(...found)), stopped: true };
    }
    const keep = Math.max(0, ...this.stops.map((stop) => overlap(text, stop)));
    this.held = text.slice(text.length - keep);
    return { text: text.slice(0, text.length - keep), stopped: false };
  }

  /** What was held back, once it is certain that no stop text follows. */
  flush(): string {
    const text = this.held;
    this.held = '';
    return text;
  }
}

/** Length of the longest end of `text` that `stop` begins with. */
function overlap(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--)
    if (text.endsWith(stop.slice(0, length))) return length;
  return 0;
}
