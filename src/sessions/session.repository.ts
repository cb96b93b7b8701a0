import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import { Prisma } from '../database/generated/client.js';
import { SaccadeError } from '../errors/saccade-error.js';
import { noSuchSession } from './no-such-session.js';

/** A stored keyframe picture. */
export interface StoredImage {
  jpeg: Uint8Array;
  contentHash: string;
}

export interface SessionFilter {
  state?: 'live' | 'finished';
  /** Id of the last session of the page before. */
  cursor?: string;
  limit: number;
}

const summary = {
  id: true,
  source: true,
  state: true,
  durationMs: true,
  frameCount: true,
  warnings: true,
  createdAt: true,
  endedAt: true,
  _count: { select: { keyframes: true, questions: true } },
} satisfies Prisma.SessionSelect;

export type SessionSummary = Prisma.SessionGetPayload<{ select: typeof summary }>;

@Injectable()
export class SessionRepository {
  constructor(private readonly database: DatabaseService) {}

  /** Newest first; keys are UUIDv7, so their order is the order of time. */
  async list({ state, cursor, limit }: SessionFilter): Promise<SessionSummary[]> {
    return this.database.prisma.session.findMany({
      select: summary,
      where: { state, ...(cursor === undefined ? {} : { id: { lt: cursor } }) },
      orderBy: { id: 'desc' },
      take: limit,
    });
  }

  /** @throws SaccadeError not_found */
  async find(id: string): Promise<SessionSummary> {
    const found = await this.database.prisma.session.findUnique({ where: { id }, select: summary });
    if (found === null) throw noSuchSession(id);
    return found;
  }

  /**
   * Deletes a session with its keyframes, questions and trajectories, and the percepts of its pictures that no other
   * session shows.
   * @throws SaccadeError not_found
   */
  async delete(id: string): Promise<void> {
    await this.database.prisma.$transaction(async (prisma) => {
      const keyframes = await prisma.keyframe.findMany({
        where: { sessionId: id },
        select: { contentHash: true, perceptId: true },
      });
      const { count } = await prisma.session.deleteMany({ where: { id } });
      if (count === 0) throw noSuchSession(id);
      const hashes = [...new Set(keyframes.map(({ contentHash }) => contentHash))];
      const ids = keyframes.map(({ perceptId }) => perceptId).filter((perceptId) => perceptId !== null);
      await prisma.$executeRaw`
        DELETE FROM percepts AS percept
        WHERE (percept.content_hash = ANY(${hashes}) OR percept.id = ANY(${ids}::uuid[]))
          AND NOT EXISTS (
            SELECT FROM keyframes
            WHERE keyframes.content_hash = percept.content_hash OR keyframes.percept_id = percept.id
          )`;
    });
  }

  /** @throws SaccadeError not_found */
  async keyframeImage(id: string): Promise<StoredImage> {
    const found = await this.database.prisma.keyframe.findUnique({
      where: { id },
      select: { jpeg: true, contentHash: true },
    });
    if (found === null)
      throw new SaccadeError('not_found', 'no_such_keyframe', `There is no keyframe ${id}.`, { field: 'id' });
    return found;
  }
}
