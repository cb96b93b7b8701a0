import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/config/package-root.js';
import { EmbeddedPostgres } from '../src/database/embedded/embedded-postgres.js';
import { schemaSql } from './schema-engine.js';

/** `npm run db:migration -- add_feedback`: writes the step from the last committed schema to the one in the work tree. */
const name = process.argv[2];
if (name === undefined || !/^[a-z0-9_]+$/.test(name)) {
  console.error(
    'Give the migration a name of small letters and underscores: npm run db:migration -- add_feedback',
  );
  process.exit(2);
}

const migrations = join(packageRoot(), 'prisma', 'migrations');
const isFirst = !existsSync(migrations);
const committed = isFirst
  ? null
  : execFileSync('git', ['show', 'HEAD:prisma/schema.prisma'], { encoding: 'utf8', cwd: packageRoot() });
const wanted = readFileSync(join(packageRoot(), 'prisma', 'schema.prisma'), 'utf8');

const dataDir = mkdtempSync(join(tmpdir(), 'saccade-migration-'));
const postgres = new EmbeddedPostgres({ dataDir });
try {
  const sql = await schemaSql(committed, wanted, await postgres.start());
  if (sql === '' || sql.includes('empty migration')) {
    console.log('The committed migrations already describe prisma/schema.prisma.');
  } else {
    const stamp = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
    const folder = join(migrations, `${stamp}_${name}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'migration.sql'), `${sql}\n`);
    if (isFirst) writeFileSync(join(migrations, 'migration_lock.toml'), 'provider = "postgresql"\n');
    console.log(`Wrote ${folder}/migration.sql`);
  }
} finally {
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
