import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaSql } from '../../prisma/schema-engine.js';
import { packageRoot } from '../../src/config/package-root.js';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { assertServerVersion, migrate, Migration, readMigrations } from '../../src/database/migrate.js';
import { folderForFile } from '../support/temporary-folder.js';

const dataDir = folderForFile();
const postgres = new EmbeddedPostgres({ dataDir });
let serverUrl: string;
let created = 0;

beforeAll(async () => {
  serverUrl = await postgres.start();
});
afterAll(() => postgres.stop());

async function query(url: string, sql: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows as Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

async function freshDatabase(): Promise<string> {
  const name = `fresh_${created++}`;
  await query(serverUrl, `CREATE DATABASE ${name}`);
  return serverUrl.replace(/\/[^/]*$/, `/${name}`);
}

function migration(name: string, sql: string): Migration {
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}

/** Columns, their types and defaults, constraints and indexes, as PostgreSQL tells them. */
async function catalogue(url: string): Promise<unknown> {
  const own = `table_schema = 'public' AND table_name <> '_prisma_migrations'`;
  return {
    columns: await query(
      url,
      `SELECT table_name, column_name, udt_name, is_nullable, column_default FROM information_schema.columns WHERE ${own} ORDER BY 1, 2`,
    ),
    constraints: await query(
      url,
      `SELECT conrelid::regclass::text AS table, conname, pg_get_constraintdef(oid) AS rule FROM pg_constraint
       WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> '_prisma_migrations' ORDER BY 1, 2`,
    ),
    indexes: await query(
      url,
      `SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`,
    ),
    enums: await query(
      url,
      'SELECT typname, enumlabel FROM pg_enum JOIN pg_type ON pg_type.oid = enumtypid ORDER BY 1, enumsortorder',
    ),
  };
}

describe('migrations', () => {
  it('make a fresh database whole, and change nothing the second time', async () => {
    const url = await freshDatabase();
    const names = readMigrations().map(({ name }) => name);
    expect(await migrate(url)).toEqual({ applied: names, alreadyThere: 0 });
    expect(await migrate(url)).toEqual({ applied: [], alreadyThere: names.length });
  });

  it('describe the same database as the Prisma schema', async () => {
    const schema = readFileSync(join(packageRoot(), 'prisma', 'schema.prisma'), 'utf8');
    const [migrated, direct] = [await freshDatabase(), await freshDatabase()];
    await migrate(migrated);
    await query(direct, await schemaSql(null, schema, direct));
    expect(await catalogue(migrated)).toEqual(await catalogue(direct));
  });

  it('are applied once by servers that start at the same time', async () => {
    const url = await freshDatabase();
    const reports = await Promise.all(Array.from({ length: 4 }, () => migrate(url)));
    const applied = reports.flatMap((report) => report.applied);
    expect(applied).toEqual(readMigrations().map(({ name }) => name));
    expect(await query(url, 'SELECT migration_name FROM "_prisma_migrations"')).toHaveLength(applied.length);
  });

  it('refuse a database that is newer than the program', async () => {
    const url = await freshDatabase();
    await migrate(url, [
      ...readMigrations(),
      migration('29990101000000_future', 'CREATE TABLE future (id int)'),
    ]);
    await expect(migrate(url)).rejects.toThrow(/newer than this program.*29990101000000_future/);
  });

  it('refuse one whose migration was another', async () => {
    const url = await freshDatabase();
    const [first, ...rest] = readMigrations();
    await migrate(url);
    await expect(migrate(url, [{ ...first!, checksum: 'f'.repeat(64) }, ...rest])).rejects.toThrow(
      new RegExp(`${first!.name} in the database differs`),
    );
  });

  it('refuse one that another tool left half done', async () => {
    const url = await freshDatabase();
    await migrate(url);
    await query(url, `UPDATE "_prisma_migrations" SET finished_at = NULL`);
    await expect(migrate(url)).rejects.toThrow(/did not finish.*prisma migrate resolve/);
  });

  it('are undone whole when they fail, and can be tried again', async () => {
    const url = await freshDatabase();
    const broken = migration('1_things', 'CREATE TABLE things (id int); SELECT 1 / 0;');
    await expect(migrate(url, [broken])).rejects.toThrow(/1_things failed and was undone: division by zero/);
    expect(await query(url, `SELECT to_regclass('things') AS things`)).toEqual([{ things: null }]);
    const mended = migration('1_things', 'CREATE TABLE things (id int);');
    expect(await migrate(url, [mended])).toEqual({ applied: ['1_things'], alreadyThere: 0 });
  });

  it('keep the history that `prisma migrate` keeps', async () => {
    const url = await freshDatabase();
    await migrate(url);
    for (const row of await query(url, 'SELECT * FROM "_prisma_migrations" ORDER BY migration_name')) {
      const file = readMigrations().find(({ name }) => name === row.migration_name);
      expect(row).toMatchObject({ checksum: file!.checksum, rolled_back_at: null, applied_steps_count: 1 });
      expect(row.finished_at).toBeInstanceOf(Date);
    }
  });

  it('say which database cannot be used, and show no password', async () => {
    const refused = migrate('postgresql://user:secret@127.0.0.1:1/none');
    await expect(refused).rejects.toThrow(
      /database at 127\.0\.0\.1:1 cannot be used: .*ECONNREFUSED.*DATABASE_URL/,
    );
    await expect(refused).rejects.not.toThrow(/secret/);
  });

  it('want PostgreSQL 14', () => {
    expect(() => assertServerVersion(130_016)).toThrow(/PostgreSQL 13; Saccade needs 14 or newer/);
    expect(() => assertServerVersion(140_000)).not.toThrow();
    expect(() => assertServerVersion(180_001)).not.toThrow();
  });
});
