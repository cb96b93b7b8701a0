import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import lockfile from 'proper-lockfile';
import { OPEN_FOLDER, postgresPrograms } from './postgres-programs.js';
import { canReach, PostgresUser, postgresUser } from './postgres-user.js';

const run = promisify(execFile);
const DATABASE = 'saccade';

/** Name under which our connections show in pg_stat_activity; the last server to leave stops PostgreSQL. */
export const APPLICATION_NAME = 'saccade';

export interface EmbeddedPostgresOptions {
  /** Folder of Saccade's data; the database gets a folder of its own in it. */
  dataDir: string;
}

/**
 * A real PostgreSQL server in the data folder, shared by all servers that use the folder.
 * It outlives a killed server and is taken over by the next one.
 */
export class EmbeddedPostgres {
  private readonly user: PostgresUser | null;
  /** Where the cluster, its log and its password lie. */
  readonly folder: string;

  constructor(options: EmbeddedPostgresOptions) {
    this.user = postgresUser();
    const wanted = resolve(options.dataDir, 'postgres');
    mkdirSync(wanted, { recursive: true });
    this.folder = this.user === null || canReach(this.user, wanted) ? wanted : openFolderFor(wanted);
    if (this.user !== null) chownSync(this.folder, this.user.uid, this.user.gid);
  }

  /** Starts the server, or joins the one that already runs, and makes the database. Returns its connection URL. */
  async start(): Promise<string> {
    return this.locked(async () => {
      if (!existsSync(join(this.dataFolder, 'PG_VERSION'))) await this.initialise();
      // A server that was just killed, or is just starting, shows as running but refuses connections for a moment.
      for (let attempt = 1; ; attempt++) {
        const port = this.runningPort() ?? (await this.launch());
        try {
          await this.createDatabase(port);
          return this.url(port, DATABASE);
        } catch (error) {
          if (attempt === 100 || !isPassing(error)) throw error;
          await setTimeout(100);
        }
      }
    });
  }

  /** Stops the server unless another process of ours still uses it. Call after the own connections are closed. */
  async stop(): Promise<void> {
    await this.locked(async () => {
      const port = this.runningPort();
      if (port !== null && !(await this.isUsed(port))) await this.control('stop', '--mode', 'fast', '--wait');
    });
  }

  /** Starts PostgreSQL on a free port, which it returns. */
  private async launch(): Promise<number> {
    const port = await freePort();
    const log = join(this.folder, 'postgres.log');
    await this.control(
      'start',
      '--log',
      log,
      '--wait',
      '--timeout',
      '60',
      '--options',
      this.serverOptions(port),
    );
    return port;
  }

  private get dataFolder(): string {
    return join(this.folder, 'data');
  }

  private get password(): string {
    return readFileSync(join(this.folder, 'password'), 'utf8');
  }

  private async initialise(): Promise<void> {
    const passwordFile = join(this.folder, 'password');
    rmSync(this.dataFolder, { recursive: true, force: true }); // left by an initialisation that was cut short
    writeFileSync(passwordFile, randomBytes(24).toString('hex'), { mode: 0o600 });
    if (this.user !== null) chownSync(passwordFile, this.user.uid, this.user.gid);
    const { initdb } = await postgresPrograms(this.user);
    // A folder of another name until it is whole, because PG_VERSION appears early.
    const unfinished = join(this.folder, 'data.new');
    rmSync(unfinished, { recursive: true, force: true });
    await this.asUser(initdb, [
      '--pgdata',
      unfinished,
      '--username',
      DATABASE,
      '--pwfile',
      passwordFile,
      '--auth',
      'scram-sha-256',
      '--encoding',
      'UTF8',
      '--locale',
      'C',
    ]);
    await this.asUser('mv', [unfinished, this.dataFolder]);
  }

  private serverOptions(port: number): string {
    return `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''`;
  }

  /** Port of the live server, from its lock file; null when it is not running. */
  private runningPort(): number | null {
    const pidFile = join(this.dataFolder, 'postmaster.pid');
    if (!existsSync(pidFile)) return null;
    const lines = readFileSync(pidFile, 'utf8').split('\n');
    const pid = Number(lines[0]);
    if (!isPostgres(pid)) {
      rmSync(pidFile, { force: true }); // the machine was restarted and the number may belong to somebody else now
      return null;
    }
    return Number(lines[3]);
  }

  private async createDatabase(port: number): Promise<void> {
    await this.withClient(port, async (client) => {
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
    });
  }

  private async isUsed(port: number): Promise<boolean> {
    return this.withClient(port, async (client) => {
      const { rows } = await client.query(
        'SELECT count(*)::int AS users FROM pg_stat_activity WHERE application_name = $1',
        [APPLICATION_NAME],
      );
      return rows[0].users > 0;
    });
  }

  private async withClient<T>(port: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: this.url(port, 'postgres') });
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }

  private url(port: number, database: string): string {
    return `postgresql://${DATABASE}:${this.password}@127.0.0.1:${port}/${database}`;
  }

  private async control(action: string, ...parameters: string[]): Promise<void> {
    const { pg_ctl } = await postgresPrograms(this.user);
    await this.asUser(pg_ctl, [action, '--pgdata', this.dataFolder, ...parameters]);
  }

  private async asUser(program: string, parameters: string[]): Promise<void> {
    try {
      await run(program, parameters, { ...this.user, cwd: '/', env: { ...process.env, LC_ALL: 'C' } });
    } catch (cause) {
      const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : String(cause);
      throw new Error(`The embedded PostgreSQL failed: ${said}. See ${join(this.folder, 'postgres.log')}.`, {
        cause,
      });
    }
  }

  private async locked<T>(work: () => Promise<T>): Promise<T> {
    let lost = false;
    const release = await lockfile.lock(this.folder, {
      stale: 5000,
      retries: { retries: 600, minTimeout: 50, maxTimeout: 100 },
      // By default it throws where nobody can catch it, even when a lock being released is found gone. A lock that
      // was lost while the machine slept harms nothing: PostgreSQL itself starts once per data folder.
      onCompromised: () => (lost = true),
    });
    try {
      return await work();
    } finally {
      if (!lost) await release();
    }
  }
}

function openFolderFor(wanted: string): string {
  const folder = join(OPEN_FOLDER, createHash('sha256').update(wanted).digest('hex').slice(0, 16));
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  return folder;
}

/** Whether the process lives and, where the system tells, is a PostgreSQL. One that was killed but not reaped is dead. */
function isPostgres(pid: number): boolean {
  if (existsSync('/proc/self/stat')) {
    const stat = `/proc/${pid}/stat`;
    return existsSync(stat) && /\((postgres|postmaster)\) [^ZX]/.test(readFileSync(stat, 'utf8'));
  }
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Refused connections, and the server's own word that it is starting up or shutting down. */
function isPassing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === '57P03';
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done, failed) => server.once('error', failed).listen(0, '127.0.0.1', done));
  const address = server.address();
  await new Promise((done) => server.close(done));
  if (address === null || typeof address === 'string')
    throw new Error('No free port was found on 127.0.0.1.');
  return address.port;
}
