import { createHash, randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { packageRoot } from '../config/package-root.js';

export interface Migration {
  name: string;
  sql: string;
  /** sha256 of the file, hex: the checksum that Prisma keeps. */
  checksum: string;
}

export interface MigrationReport {
  applied: string[];
  alreadyThere: number;
}

/** Why the database cannot be used as it is; the message says what to do. */
export class MigrationError extends Error {}

const OLDEST_SERVER = 140_000; // server_version_num of PostgreSQL 14
const LOCK_ID = 72_707_369; // the advisory lock that `prisma migrate deploy` takes as well

// The layout that Prisma gives its own table, so that `prisma migrate deploy` recognises what was applied here.
const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
  "id" VARCHAR(36) PRIMARY KEY NOT NULL,
  "checksum" VARCHAR(64) NOT NULL,
  "finished_at" TIMESTAMPTZ,
  "migration_name" VARCHAR(255) NOT NULL,
  "logs" TEXT,
  "rolled_back_at" TIMESTAMPTZ,
  "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
  "applied_steps_count" INTEGER NOT NULL DEFAULT 0
)`;

/** The committed migrations, in order. */
export function readMigrations(folder = join(packageRoot(), 'prisma', 'migrations')): Migration[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}

/**
 * Brings the database to the newest migration. Each migration is one transaction with its history row; an advisory
 * lock lets several servers start at once.
 * @throws MigrationError when the database is newer than the code, was changed by hand, or is too old a PostgreSQL
 */
export async function migrate(databaseUrl: string, migrations = readMigrations()): Promise<MigrationReport> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'saccade-migrate' });
  await connect(client);
  try {
    await checkVersion(client);
    await client.query('SELECT pg_advisory_lock($1)', [LOCK_ID]);
    await client.query(HISTORY_TABLE);
    const done = await appliedMigrations(client);
    refuseStrangers(done, migrations);
    const pending = migrations.filter((migration) => !done.has(migration.name));
    for (const migration of pending) await apply(client, migration);
    return { applied: pending.map((migration) => migration.name), alreadyThere: done.size };
  } finally {
    await client.end(); // ends the session and with it the lock
  }
}

async function connect(client: pg.Client): Promise<void> {
  try {
    await client.connect();
  } catch (cause) {
    // The message of a refused connection is empty when several addresses were tried.
    const said =
      cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : String(cause);
    throw new MigrationError(
      `The database at ${client.host}:${client.port} cannot be used: ${said}. Start it, or correct DATABASE_URL.`,
      { cause },
    );
  }
}

async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query('SHOW server_version_num');
  assertServerVersion(Number(rows[0].server_version_num));
}

/** @param version as `server_version_num` tells it: 140005 is 14.5 */
export function assertServerVersion(version: number): void {
  if (version >= OLDEST_SERVER) return;
  throw new MigrationError(
    `The database is PostgreSQL ${Math.floor(version / 10_000)}; Saccade needs 14 or newer.`,
  );
}

async function appliedMigrations(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ migration_name: string; checksum: string; finished_at: Date | null }>(
    'SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  );
  const unfinished = rows.find((row) => row.finished_at === null);
  if (unfinished !== undefined) {
    throw new MigrationError(
      `Migration ${unfinished.migration_name} was begun by another tool and did not finish. Mend it with \`prisma migrate resolve\`, then start again.`,
    );
  }
  return new Map(rows.map((row) => [row.migration_name, row.checksum]));
}

function refuseStrangers(done: Map<string, string>, migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  for (const [name, checksum] of done) {
    const ours = known.get(name);
    if (ours === undefined) {
      throw new MigrationError(
        `The database is newer than this program: it has migration ${name}, which this version does not know. Start the version that made it, or a newer one.`,
      );
    }
    if (ours !== checksum) {
      throw new MigrationError(
        `Migration ${name} in the database differs from the one in this version. Restore prisma/migrations from the release, or use another database.`,
      );
    }
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  await client.query('BEGIN');
  try {
    await client.query(migration.sql);
    await client.query(
      `INSERT INTO "_prisma_migrations" (id, checksum, finished_at, migration_name, applied_steps_count) VALUES ($1, $2, now(), $3, 1)`,
      [randomUUID(), migration.checksum, migration.name],
    );
    await client.query('COMMIT');
  } catch (cause) {
    await client.query('ROLLBACK');
    throw new MigrationError(
      `Migration ${migration.name} failed and was undone: ${cause instanceof Error ? cause.message : String(cause)}`,
      { cause },
    );
  }
}
