import { Problem } from './events.js';

/** Why something failed: what the server told, or what happened to the connection. */
export class SaccadeClientError extends Error {
  override readonly name = 'SaccadeClientError';

  constructor(
    /** Stable, such as `too_many_questions` or `connection_lost`. */
    readonly code: string,
    message: string,
    /** The server's words, where it was the server. */
    readonly problem: Problem | null = null,
    /** Whether the same may succeed later. */
    readonly retryable = problem?.retryable ?? false,
  ) {
    super(message);
  }

  /** Name of the field that is wrong. */
  get field(): string | undefined {
    return this.problem?.field;
  }

  /** The limit that was crossed. */
  get limit(): number | string | undefined {
    return this.problem?.limit;
  }

  static of(problem: Problem): SaccadeClientError {
    return new SaccadeClientError(problem.code, problem.detail, problem);
  }
}
