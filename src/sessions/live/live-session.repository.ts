import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../database/database.service.js';
import { Prisma } from '../../database/generated/client.js';
import { SaccadeError } from '../../errors/saccade-error.js';
import { Picture } from '../../perception/perceiver.js';
import { perceptOf } from '../../perception/percept.repository.js';
import { Percept } from '../../perception/percept.js';
import { NewKeyframe } from '../../trajectories/answered-question.js';
import { noSuchSession } from '../no-such-session.js';

export interface SessionProgress {
  durationMs: number;
  frameCount: number;
}

/** A keyframe with its percept, as stored. */
export interface StoredKeyframe {
  id: string;
  index: number;
  frameIndex: number;
  timestampMs: number;
  sequence: bigint | null;
  reason: string;
  overlapRatio: number | null;
  matchCount: number;
  inlierCount: number;
  percept: Percept;
}

export interface StoredStream {
  source: string;
  durationMs: number;
  startTimestampUs: bigint | null;
  /** Picture of the last perceived keyframe and the key of its percept; null when there is none. */
  last: { jpeg: Buffer; width: number; height: number; contentHash: string; perceptKey: string } | null;
}

const keyframe = {
  id: true,
  index: true,
  frameIndex: true,
  timestampMs: true,
  sequence: true,
  reason: true,
  overlapRatio: true,
  matchCount: true,
  inlierCount: true,
  percept: { select: { text: true, content: true } },
} satisfies Prisma.KeyframeSelect;

const PAGE = 500;

/** Rows of live sessions, while they grow and when they are asked. */
@Injectable()
export class LiveSessionRepository {
  constructor(private readonly database: DatabaseService) {}

  async create(id: string, source: 'stream' | 'replay'): Promise<void> {
    await this.database.prisma.session.create({
      data: { id, source, state: 'live', durationMs: 0, frameCount: 0 },
    });
  }

  /** Keeps a keyframe whose percept is on its way. Once, also when it is called again after a broken connection. */
  async addKeyframe(sessionId: string, row: NewKeyframe): Promise<void> {
    await this.database.prisma.keyframe.upsert({
      where: { id: row.id },
      create: { ...row, jpeg: new Uint8Array(row.jpeg), sessionId },
      update: {},
    });
  }

  /** Links a percept; from here the session can be resumed after a crash. */
  async completeKeyframe(
    sessionId: string,
    keyframeId: string,
    perceptId: string,
    progress: SessionProgress & { startTimestampUs: bigint },
  ): Promise<void> {
    const { prisma } = this.database;
    await prisma.$transaction([
      prisma.keyframe.update({ where: { id: keyframeId }, data: { perceptId }, select: { id: true } }),
      prisma.session.update({
        where: { id: sessionId },
        data: { ...progress, state: 'live', endedAt: null },
        select: { id: true },
      }),
    ]);
  }

  async finish(id: string, { durationMs, frameCount }: SessionProgress): Promise<void> {
    await this.database.prisma.session.updateMany({
      where: { id },
      data: { state: 'finished', endedAt: new Date(), durationMs, frameCount },
    });
  }

  /** After a crash nobody feeds the sessions that were live; one that another server feeds says so with its next percept. */
  async finishAll(): Promise<void> {
    await this.database.prisma.session.updateMany({
      where: { state: 'live' },
      data: { state: 'finished', endedAt: new Date() },
    });
  }

  /** Makes a stored stream live again: keyframes that were not perceived before a crash go, because their frames come again. */
  async reopen(id: string): Promise<void> {
    const { prisma } = this.database;
    await prisma.$transaction([
      prisma.keyframe.deleteMany({ where: { sessionId: id, perceptId: null } }),
      prisma.session.update({ where: { id }, data: { state: 'live', endedAt: null }, select: { id: true } }),
    ]);
  }

  /** @throws SaccadeError not_found */
  async stream(id: string): Promise<StoredStream> {
    const row = await this.database.prisma.session.findUnique({
      where: { id },
      select: {
        source: true,
        durationMs: true,
        startTimestampUs: true,
        keyframes: {
          where: { perceptId: { not: null } },
          orderBy: { index: 'desc' },
          take: 1,
          select: {
            jpeg: true,
            width: true,
            height: true,
            contentHash: true,
            percept: { select: { cacheKey: true } },
          },
        },
      },
    });
    if (row === null) throw noSuchSession(id);
    const { keyframes, ...session } = row;
    const last = keyframes.map(({ jpeg, percept, ...rest }) => ({
      ...rest,
      jpeg: Buffer.from(jpeg),
      perceptKey: percept!.cacheKey,
    }));
    return { ...session, last: last[0] ?? null };
  }

  /** Perceived keyframes in order, a page at a time, so that a long session needs little memory. */
  async *keyframes(sessionId: string): AsyncGenerator<StoredKeyframe> {
    for (let after = -1; ;) {
      const rows = await this.database.prisma.keyframe.findMany({
        where: { sessionId, perceptId: { not: null }, index: { gt: after } },
        orderBy: { index: 'asc' },
        take: PAGE,
        select: keyframe,
      });
      yield* rows.map(fromRow);
      if (rows.length < PAGE) return;
      after = rows.at(-1)!.index;
    }
  }

  /** Those of the ids that are perceived, in order. */
  async keyframesOf(ids: readonly string[]): Promise<StoredKeyframe[]> {
    const rows = await this.database.prisma.keyframe.findMany({
      where: { id: { in: [...ids] }, perceptId: { not: null } },
      orderBy: { index: 'asc' },
      select: keyframe,
    });
    return rows.map(fromRow);
  }

  /** The newest keyframes of a session with their pictures, oldest first. */
  async newest(sessionId: string, count: number): Promise<(StoredKeyframe & { jpeg: Buffer })[]> {
    const rows = await this.database.prisma.keyframe.findMany({
      where: { sessionId, perceptId: { not: null } },
      orderBy: { index: 'desc' },
      take: count,
      select: { ...keyframe, jpeg: true },
    });
    return rows.reverse().map(({ jpeg, ...row }) => ({ ...fromRow(row), jpeg: Buffer.from(jpeg) }));
  }

  async pictures(ids: readonly string[]): Promise<Map<string, Picture>> {
    const rows = await this.database.prisma.keyframe.findMany({
      where: { id: { in: [...ids] } },
      select: { id: true, jpeg: true, contentHash: true },
    });
    return new Map(rows.map(({ id, jpeg, contentHash }) => [id, { jpeg: Buffer.from(jpeg), contentHash }]));
  }
}

function fromRow({
  percept,
  ...row
}: Prisma.KeyframeGetPayload<{ select: typeof keyframe }>): StoredKeyframe {
  return { ...row, percept: perceptOf(percept!) };
}

/** The error when a session was deleted, or is fed by another server, while it grows. */
export function lostSession(error: unknown, id: string): SaccadeError | null {
  if (!(error instanceof Prisma.PrismaClientKnownRequestError)) return null;
  if (error.code === 'P2003' || error.code === 'P2025') return noSuchSession(id);
  if (error.code !== 'P2002') return null;
  return new SaccadeError('conflict', 'session_moved', `Session ${id} goes on at another server.`, {
    field: 'session_id',
  });
}
