import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { APPLICATION_NAME, EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { temporaryFolder } from '../support/temporary-folder.js';

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

function started(dataDir: string): { postgres: EmbeddedPostgres; url: Promise<string> } {
  const postgres = new EmbeddedPostgres({ dataDir });
  onTestFinished(() => postgres.stop());
  return { postgres, url: postgres.start() };
}

describe('embedded PostgreSQL', () => {
  it('keeps its rows over a stop and a start', async () => {
    const dataDir = temporaryFolder();
    const first = started(dataDir);
    await query(await first.url, 'CREATE TABLE kept AS SELECT 42 AS value');
    await first.postgres.stop();
    await expect(query(await first.url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
    expect(await query(await started(dataDir).url, 'SELECT value FROM kept')).toEqual([{ value: 42 }]);
  });

  it('is joined by a second server that starts at the same time', async () => {
    const dataDir = temporaryFolder();
    const [one, two] = [started(dataDir), started(dataDir)];
    expect(await one.url).toBe(await two.url);
  });

  it('stays up while another server of ours is connected', async () => {
    const dataDir = temporaryFolder();
    const [one, two] = [started(dataDir), started(dataDir)];
    const url = await two.url;
    const other = new pg.Client({ connectionString: url, application_name: APPLICATION_NAME });
    await other.connect();
    await one.url;
    await one.postgres.stop();
    expect(await query(url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
    await other.end();
    await two.postgres.stop();
    await expect(query(url, 'SELECT 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('is taken over after its starter was killed', async () => {
    const dataDir = temporaryFolder();
    const built = join(import.meta.dirname, '../../dist/src/database/embedded/embedded-postgres.js');
    const script = `import { EmbeddedPostgres } from ${JSON.stringify(built)};
      process.send(await new EmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} }).start());
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const [url] = (await once(child, 'message')) as [string];
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await started(dataDir).url).toBe(url);
  });

  it('recovers when PostgreSQL itself was killed', async () => {
    const dataDir = temporaryFolder();
    const url = await started(dataDir).url;
    await query(url, 'CREATE TABLE kept AS SELECT 7 AS value');
    const pid = Number(readFileSync(join(dataDir, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 'SIGKILL');
    await expect
      .poll(() =>
        query(url, 'SELECT 1').then(
          () => 'up',
          () => 'down',
        ),
      )
      .toBe('down');
    expect(await query(await started(dataDir).url, 'SELECT value FROM kept')).toEqual([{ value: 7 }]);
  });

  it.runIf(process.getuid?.() === 0)(
    'starts for root although the data folder is closed to others',
    async () => {
      const closed = temporaryFolder();
      chmodSync(closed, 0o700);
      const dataDir = join(closed, 'data');
      mkdirSync(dataDir);
      const { folder } = new EmbeddedPostgres({ dataDir });
      onTestFinished(() => rmSync(folder, { recursive: true })); // runs last: hooks run in reverse
      const { url } = started(dataDir);
      expect(await query(await url, 'SELECT 1 AS up')).toEqual([{ up: 1 }]);
    },
  );

  it('listens on loopback only and wants its password', async () => {
    const url = await started(temporaryFolder()).url;
    expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    await expect(query(url.replace(/:[0-9a-f]{48}@/, ':wrong@'), 'SELECT 1')).rejects.toThrow(/password/);
  });
});
