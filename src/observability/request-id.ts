import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';

const REQUEST_ID = /^[A-Za-z0-9_.-]{1,64}$/;

/**
 * First of all middleware, so that even a body that cannot be parsed is refused under an id: the caller's own when it
 * sends a sane `X-Request-Id`, else a fresh one.
 */
export function identifyRequest(
  request: IncomingMessage & { id?: unknown },
  response: ServerResponse,
  next: () => void,
): void {
  const given = request.headers['x-request-id'];
  const id = typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
  request.id = id;
  response.setHeader('X-Request-Id', id);
  next();
}
