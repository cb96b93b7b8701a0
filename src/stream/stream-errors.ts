import { SaccadeError } from '../errors/saccade-error.js';
import { CLOSE, CloseCode } from './close-codes.js';
import { StreamLimits } from './session-ready.js';

// What a connection may be told; docs/protocol.md, "Limits".

/** Errors after which a connection that has no session is of no use. */
export function closeCodeOf(error: unknown): CloseCode | null {
  if (!(error instanceof SaccadeError)) return null;
  const codes: Record<string, CloseCode> = {
    too_many_sessions: CLOSE.serverFull,
    too_many_observers: CLOSE.serverFull,
    server_stopping: CLOSE.goingAway,
    no_such_session: CLOSE.noSuchSession,
    not_allowed: CLOSE.notAllowed,
  };
  return codes[error.code] ?? null;
}

export function openTimeout(openMs: number): SaccadeError {
  return new SaccadeError(
    'deadline',
    'open_timeout',
    `No session was opened within ${openMs} ms. Send session.open first.`,
    { limit: openMs },
  );
}

export function sessionIdle(idleMs: number): SaccadeError {
  return new SaccadeError(
    'deadline',
    'session_idle',
    `Nothing was sent for ${idleMs} ms (STREAM_IDLE_MS). Resume the session when there is something to see.`,
    { limit: idleMs },
  );
}

export function notLive(sessionId: string): SaccadeError {
  return new SaccadeError(
    'not_found',
    'no_such_session',
    `Session ${sessionId} is not live here. GET /sessions lists those that are, and has what was seen in others.`,
    { field: 'session_id' },
  );
}

export function rateExceeded({ max_fps, max_bytes_per_s }: StreamLimits): SaccadeError {
  return new SaccadeError(
    'overloaded',
    'rate_exceeded',
    `Far more was sent than ${max_fps} frames or ${max_bytes_per_s} bytes a second (STREAM_MAX_FPS, STREAM_MAX_BYTES_PER_S). Send fewer or smaller frames.`,
    { limit: max_fps },
  );
}

export function tooManyErrors(perMinute: number): SaccadeError {
  return new SaccadeError(
    'input',
    'too_many_errors',
    `${perMinute} messages of this minute were in error. Correct the client and resume.`,
    { limit: perMinute },
  );
}

export function takenOver(): SaccadeError {
  return new SaccadeError('conflict', 'taken_over', 'Another connection resumed this session.', {
    field: 'session_id',
  });
}

export function alreadyOpen(): SaccadeError {
  return new SaccadeError(
    'conflict',
    'already_open',
    'This connection has its session; open another one for another.',
  );
}

export function noSession(): SaccadeError {
  return new SaccadeError(
    'conflict',
    'no_session',
    'Open a session first: send session.open or session.resume, and wait for session.ready.',
  );
}

export function onlyObserves(): SaccadeError {
  return new SaccadeError(
    'conflict',
    'not_allowed',
    'An observer only follows. Open a session to send frames or ask.',
  );
}

export function wrongToken(): SaccadeError {
  return new SaccadeError(
    'input',
    'not_allowed',
    'Observing needs the right token (STREAM_OBSERVER_TOKEN).',
    { field: 'token' },
  );
}

export function tooManyObservers(limit: number): SaccadeError {
  return new SaccadeError(
    'overloaded',
    'too_many_observers',
    `The session has ${limit} observers already (STREAM_MAX_OBSERVERS).`,
    { limit },
  );
}
