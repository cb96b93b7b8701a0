import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { DatabaseService } from '../database/database.service.js';
import { Prisma } from '../database/generated/client.js';
import { Percept } from './percept.js';
import { NewPercept, PerceptCache, StoredPercept } from './perception-pipeline.js';

/** Percepts in Postgres. */
@Injectable()
export class PerceptRepository implements PerceptCache {
  constructor(private readonly database: DatabaseService) {}

  async find(key: string): Promise<StoredPercept | null> {
    const row = await this.database.prisma.percept.findUnique({ where: { cacheKey: key } });
    return row === null ? null : fromRow(row);
  }

  async keep(key: string, { percept, usage, ...made }: NewPercept): Promise<StoredPercept> {
    const { text, ...content } = percept;
    const row = await this.database.prisma.percept.upsert({
      where: { cacheKey: key },
      create: {
        id: uuidv7(),
        cacheKey: key,
        ...made,
        text,
        content: content as unknown as Prisma.InputJsonObject,
        ...usage,
      },
      update: {},
    });
    return fromRow(row);
  }
}

function fromRow(row: { id: string; text: string; content: Prisma.JsonValue }): StoredPercept {
  return { id: row.id, percept: perceptOf(row) };
}

/** The content column holds what `keep` put there, whole. */
export function perceptOf({ text, content }: { text: string; content: Prisma.JsonValue }): Percept {
  return { ...(content as unknown as Omit<Percept, 'text'>), text };
}
