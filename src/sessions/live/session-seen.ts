import { setTimeout as delay } from 'node:timers/promises';
import { SaccadeError } from '../../errors/saccade-error.js';
import { viewKeyframe, viewPercept } from '../../reason/keyframe-json.js';
import { Seen } from '../../reason/seen.js';
import { LiveSession, Settled } from './live-session.js';
import { LiveSessionRepository } from './live-session.repository.js';

/** What a session has seen, in the form in which questions are answered. */
export function seenOf(
  sessionId: string,
  { memory, seenUntilMs }: Settled,
  repository: LiveSessionRepository,
  timingsMs: Record<string, number>,
): Seen {
  if (memory.first === null)
    throw new SaccadeError(
      'conflict',
      'nothing_seen',
      'The session has not seen a frame yet. Send one, or ask with mode wait.',
      { field: 'session_id', retryable: true },
    );
  return {
    sessionId,
    newSession: null,
    memory,
    seenUntilMs,
    usage: { promptTokens: 0, completionTokens: 0, calls: 0 },
    timingsMs,
    warnings: [],
    pictures: (ids) => repository.pictures(ids),
    tell: async (given) => {
      const forQuestion = new Map(given.map((each) => [each.keyframeId, each.forQuestion]));
      const rows = await repository.keyframesOf([...forQuestion.keys()]);
      return {
        keyframes: rows.map(viewKeyframe),
        percepts: rows.map((row) =>
          viewPercept(row.id, { percept: row.percept, cached: true }, forQuestion.get(row.id) ?? null),
        ),
      };
    },
  };
}

/** Waits for what is on its way, at most so long, then goes ahead with what is known. */
export async function settledWithin(
  session: LiveSession,
  deadlineMs: number,
  signal: AbortSignal,
): Promise<Settled> {
  const done = new AbortController();
  const going = AbortSignal.any([signal, session.ended, done.signal]);
  const deadline = delay(deadlineMs, null, { signal: going }).catch(() => null);
  const settled = await Promise.race([session.settle(), deadline]);
  done.abort();
  return settled ?? session.known();
}
