import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../database/database.service.js';
import { Prisma } from '../database/generated/client.js';
import { SaccadeError } from '../errors/saccade-error.js';
import { noSuchSession } from '../sessions/no-such-session.js';
import { AnsweredQuestion, NewSession } from './answered-question.js';

export interface TrajectoryFilter {
  sessionId?: string;
  policyVersion?: string;
  /** Id of the last trajectory of the page before. */
  cursor?: string;
  limit: number;
}

const summary = {
  id: true,
  answer: true,
  thinking: true,
  finishReason: true,
  promptTokens: true,
  completionTokens: true,
  seenUntilMs: true,
  evidence: true,
  confidence: true,
  timingsMs: true,
  createdAt: true,
  question: {
    select: { id: true, sessionId: true, text: true, options: true, answerType: true, groundTruth: true },
  },
  policyVersion: { select: { name: true } },
} satisfies Prisma.TrajectorySelect;

const whole = {
  ...summary,
  prompt: true,
  promptTokenIds: true,
  completion: true,
  completionTokenIds: true,
  logprobs: true,
  sampling: true,
  question: {
    select: {
      ...summary.question.select,
      session: {
        select: {
          source: true,
          durationMs: true,
          frameCount: true,
          warnings: true,
          keyframes: {
            omit: { jpeg: true },
            include: { percept: true },
            orderBy: { index: 'asc' },
            take: 500, // of a long session the first; the evidence tells which mattered
          },
        },
      },
    },
  },
} satisfies Prisma.TrajectorySelect;

export type TrajectorySummary = Prisma.TrajectoryGetPayload<{ select: typeof summary }>;
export type WholeTrajectory = Prisma.TrajectoryGetPayload<{ select: typeof whole }>;

@Injectable()
export class TrajectoryRepository {
  constructor(private readonly database: DatabaseService) {}

  /**
   * Session, keyframes, question and trajectory in one transaction: all of it is there, or nothing.
   * @throws SaccadeError not_found when the session was deleted meanwhile
   */
  async save({ sessionId, newSession, question, trajectory }: AnsweredQuestion): Promise<void> {
    const { prisma } = this.database;
    const session = newSession === null ? [] : this.creating(sessionId, newSession);
    const { answerType, groundTruth, id, text, options } = question;
    await prisma
      .$transaction([
        ...session,
        prisma.question.create({
          data: { id, text, options: [...options], answerType, groundTruth, sessionId },
        }),
        prisma.trajectory.create({
          data: {
            ...trajectory,
            prompt: trajectory.prompt.map((message) => ({ ...message })),
            questionId: id,
          },
        }),
      ])
      .catch((error: unknown) => {
        throw isMissingSession(error) ? noSuchSession(sessionId) : error;
      });
  }

  private creating(id: string, { keyframes, ...session }: NewSession): Prisma.PrismaPromise<unknown>[] {
    return [
      this.database.prisma.session.create({ data: { id, ...session, endedAt: new Date() } }),
      this.database.prisma.keyframe.createMany({
        data: keyframes.map((keyframe) => ({
          ...keyframe,
          jpeg: new Uint8Array(keyframe.jpeg),
          sessionId: id,
        })),
      }),
    ];
  }

  /** Newest first; keys are UUIDv7, so their order is the order of time. */
  async list({ sessionId, policyVersion, cursor, limit }: TrajectoryFilter): Promise<TrajectorySummary[]> {
    return this.database.prisma.trajectory.findMany({
      select: summary,
      where: {
        ...(cursor === undefined ? {} : { id: { lt: cursor } }),
        ...(sessionId === undefined ? {} : { question: { sessionId } }),
        ...(policyVersion === undefined ? {} : { policyVersion: { name: policyVersion } }),
      },
      orderBy: { id: 'desc' },
      take: limit,
    });
  }

  /** @throws SaccadeError not_found */
  async find(id: string): Promise<WholeTrajectory> {
    const found = await this.database.prisma.trajectory.findUnique({ where: { id }, select: whole });
    if (found === null)
      throw new SaccadeError('not_found', 'no_such_trajectory', `There is no trajectory ${id}.`, {
        field: 'id',
      });
    return found;
  }
}

/** Prisma's code for a foreign key that points nowhere. */
function isMissingSession(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2003';
}
