import { execFile } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { postgresPrograms } from '../../src/database/embedded/postgres-programs.js';
import { postgresUser } from '../../src/database/embedded/postgres-user.js';

const run = promisify(execFile);

export interface PlainPostgres {
  /** Such as `PostgreSQL 15.18 (Debian …)`, for messages. */
  name: string;
  url: string;
  stop: () => Promise<void>;
}

/**
 * A throw-away server as somebody else would run it: the newest that Debian's packages installed, or else the programs
 * that npm brings, set up with plain initdb and reached over DATABASE_URL.
 */
export async function startPlainPostgres(): Promise<PlainPostgres> {
  const user = postgresUser();
  const programs = debianPrograms() ?? (await postgresPrograms(user));
  const folder = mkdtempSync(join(tmpdir(), 'saccade-plain-postgres-'));
  if (user !== null) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  if (user !== null) chownSync(data, user.uid, user.gid);
  const as = { ...user, cwd: '/', env: { ...process.env, LC_ALL: 'C' } };
  const port = await freePort();
  await run(programs.initdb, ['-D', data, '-U', 'tester', '-A', 'trust', '-E', 'UTF8', '--locale', 'C'], as);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off`;
  await run(programs.pg_ctl, ['start', '-D', data, '-l', join(folder, 'log'), '-w', '-o', options], as);
  const { stdout } = await run(programs.postgres, ['--version']);
  return {
    name: stdout.trim(),
    url: `postgresql://tester@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await run(programs.pg_ctl, ['stop', '-D', data, '-m', 'immediate', '-w'], as);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function debianPrograms(): { postgres: string; initdb: string; pg_ctl: string } | null {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).map(Number).filter(Number.isInteger) : [];
  const bins = versions
    .sort((a, b) => b - a)
    .map((version) => join(root, String(version), 'bin'))
    .filter((bin) => ['postgres', 'initdb', 'pg_ctl'].every((program) => existsSync(join(bin, program))));
  const bin = bins[0];
  return bin === undefined
    ? null
    : { postgres: join(bin, 'postgres'), initdb: join(bin, 'initdb'), pg_ctl: join(bin, 'pg_ctl') };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
