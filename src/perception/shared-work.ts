import { cancelled } from '../errors/saccade-error.js';

interface Running<T> {
  result: Promise<T>;
  stop: AbortController;
  waiting: number;
}

/**
 * Work that several callers want at the same time is done once. It goes on while anybody waits for it: a caller that
 * goes away is let go at once, and only the last one to go stops the work.
 */
export class SharedWork<T> {
  private readonly running = new Map<string, Running<T>>();

  /**
   * @param start begins the work; called only when none runs under the key
   * @returns the result, and whether this call began the work
   */
  async join(
    key: string,
    caller: AbortSignal,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<{ result: T; began: boolean }> {
    if (caller.aborted) throw cancelled('The work');
    const joined = this.running.get(key);
    const work = joined ?? this.begin(key, start);
    work.waiting++;
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(cancelled('The work'));
      caller.addEventListener('abort', leave, { once: true });
    });
    try {
      return { result: await Promise.race([work.result, left]), began: joined === undefined };
    } finally {
      caller.removeEventListener('abort', leave);
      if (--work.waiting === 0) this.end(key, work);
    }
  }

  private begin(key: string, start: (signal: AbortSignal) => Promise<T>): Running<T> {
    const stop = new AbortController();
    const work = { result: start(stop.signal), stop, waiting: 0 };
    // Nobody may be left to hear of a failure.
    work.result.catch(() => undefined).finally(() => this.forget(key, work));
    this.running.set(key, work);
    return work;
  }

  /** Forgotten before it is stopped, so that whoever comes next begins anew. */
  private end(key: string, work: Running<T>): void {
    this.forget(key, work);
    work.stop.abort();
  }

  private forget(key: string, work: Running<T>): void {
    if (this.running.get(key) === work) this.running.delete(key);
  }
}
