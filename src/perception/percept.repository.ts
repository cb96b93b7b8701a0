import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { DatabaseService } from '../database/database.service.js';
import { Prisma } from '../database/generated/client.js';
import { PerceptionUsage } from './perceiver.js';
import { Percept } from './percept.js';
import { PerceptCache, StoredPercept } from './perception-pipeline.js';

/** Percepts in Postgres. */
@Injectable()
export class PerceptRepository implements PerceptCache {
  constructor(private readonly database: DatabaseService) {}

  async find(key: string): Promise<StoredPercept | null> {
    const row = await this.database.prisma.percept.findUnique({ where: { cacheKey: key } });
    return row === null ? null : fromRow(row);
  }

  async keep(
    key: string,
    { name, version }: { name: string; version: string },
    percept: Percept,
    usage: PerceptionUsage,
  ): Promise<StoredPercept> {
    const { text, ...content } = percept;
    const row = await this.database.prisma.percept.upsert({
      where: { cacheKey: key },
      create: {
        id: uuidv7(),
        cacheKey: key,
        perceiver: name,
        version,
        text,
        content: content as unknown as Prisma.InputJsonObject,
        ...usage,
      },
      update: {},
    });
    return fromRow(row);
  }
}

/** The content column holds what `keep` put there, whole. */
function fromRow({
  id,
  text,
  content,
}: {
  id: string;
  text: string;
  content: Prisma.JsonValue;
}): StoredPercept {
  return { id, percept: { ...(content as unknown as Omit<Percept, 'text'>), text } };
}
