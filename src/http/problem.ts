import { HttpException } from '@nestjs/common';
import { unreachableDatabase } from '../database/unreachable.js';
import { Fault, SaccadeError } from '../errors/saccade-error.js';

/** RFC 9457 problem details, with our extensions. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  field?: string;
  limit?: number | string;
  upstream?: string;
  retryable: boolean;
  request_id?: string;
  /** Further fields that are wrong, when several are. */
  errors?: { field: string; detail: string }[];
}

const STATUS: Record<Fault, { status: number; title: string }> = {
  input: { status: 400, title: 'Bad request' },
  unprocessable: { status: 422, title: 'Cannot be processed' },
  not_found: { status: 404, title: 'Not found' },
  conflict: { status: 409, title: 'Conflict' },
  too_large: { status: 413, title: 'Too large' },
  unsupported: { status: 415, title: 'Unsupported' },
  overloaded: { status: 503, title: 'Overloaded' },
  upstream: { status: 502, title: 'Upstream failed' },
  deadline: { status: 504, title: 'Deadline exceeded' },
  cancelled: { status: 499, title: 'Client closed request' },
  internal: { status: 500, title: 'Internal error' },
};

/** Any thrown value as a problem. What we did not foresee stays vague for the caller and is logged whole. */
export function toProblem(thrown: unknown, requestId?: string): Problem {
  const error = unreachableDatabase(thrown) ?? thrown;
  if (error instanceof SaccadeError) {
    const { status, title } = STATUS[error.fault];
    const { code, field, limit, upstream, retryable, message } = error;
    return {
      type: `urn:saccade:problem:${code}`,
      title,
      status,
      detail: message,
      code,
      field,
      limit,
      upstream,
      retryable,
      request_id: requestId,
    };
  }
  if (error instanceof HttpException) return fromNest(error, requestId);
  const { status, title } = STATUS.internal;
  return {
    type: 'urn:saccade:problem:internal',
    title,
    status,
    detail: 'Something failed on our side. The log holds the cause under this request id.',
    code: 'internal',
    retryable: false,
    request_id: requestId,
  };
}

function fromNest(error: HttpException, requestId?: string): Problem {
  const status = error.getStatus();
  const code = status === 404 ? 'no_such_route' : status === 413 ? 'body_too_large' : 'bad_request';
  return {
    type: `urn:saccade:problem:${code}`,
    title: error.name.replace(/Exception$/, ''),
    status,
    detail: `${error.message.replace(/\.$/, '')}.`,
    code,
    retryable: false,
    request_id: requestId,
  };
}
