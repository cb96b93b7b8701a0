/**
 * Whose fault an error is. Transports map it once: HTTP status, WebSocket error frame, CLI exit code.
 */
export type Fault =
  | 'input' // the caller sent something wrong: 400
  | 'unprocessable' // well-formed but cannot be used, such as a file that holds no video: 422
  | 'not_found' // 404
  | 'conflict' // 409
  | 'too_large' // over a configured limit: 413
  | 'unsupported' // a media type or model we do not read: 415
  | 'overloaded' // try again later: 503 with Retry-After
  | 'upstream' // a model server we call failed: 502
  | 'deadline' // took longer than allowed: 504
  | 'cancelled' // the caller went away: 499
  | 'internal'; // ours: 500

export interface SaccadeErrorDetails {
  /** Name of the request field (as in the JSON) or setting that is wrong. */
  field?: string;
  /** The limit that was crossed, in words or as a number with its unit in the message. */
  limit?: number | string;
  /** Which upstream failed, such as `vlm` or `lm`. */
  upstream?: string;
  /** Whether the same request may succeed later. */
  retryable?: boolean;
  cause?: unknown;
}

/** An error with a stable code and a message for a person that says what to do next. Never holds a secret. */
export class SaccadeError extends Error {
  readonly field?: string;
  readonly limit?: number | string;
  readonly upstream?: string;
  readonly retryable: boolean;

  constructor(
    readonly fault: Fault,
    /** Stable, snake_case, such as `video_too_long`. */
    readonly code: string,
    message: string,
    details: SaccadeErrorDetails = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'SaccadeError';
    this.field = details.field;
    this.limit = details.limit;
    this.upstream = details.upstream;
    this.retryable =
      details.retryable ?? (fault === 'overloaded' || fault === 'upstream' || fault === 'deadline');
  }
}

/** The error for work that stops because its signal was aborted. */
export function cancelled(what: string): SaccadeError {
  return new SaccadeError('cancelled', 'cancelled', `${what} was cancelled.`);
}
