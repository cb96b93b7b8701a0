import { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { servingUrl, startProcess as start } from '../support/server-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** Exit code and what was said on standard error. */
async function ended(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stdout!.resume();
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, said };
}

const postgresRuns = (dataDir: string) => existsSync(join(dataDir, 'postgres/data/postmaster.pid'));

it.each<[string, Record<string, string>, RegExp]>([
  ['PORT', { PORT: 'http' }, /^PORT is "http": .*integer.*\n$/],
  ['SAMPLE_FPS', { SAMPLE_FPS: '500' }, /^SAMPLE_FPS is "500": .*30.*\n$/],
  ['PERCEIVER', { PERCEIVER: 'magic' }, /^PERCEIVER is "magic": .*local, openai.*\n$/],
  ['VLM_BASE_URL', { PERCEIVER: 'openai' }, /^VLM_BASE_URL is not set: .*\n$/],
])('stops with one line when %s is wrong', async (_, variables, expected) => {
  const { code, said } = await ended(start({ SACCADE_DATA_DIR: temporaryFolder(), ...variables }));
  expect(code).toBe(1);
  expect(said).toMatch(expected);
});

it('stops with one line for a model that is not there, a port that is taken, a database that does not answer', async () => {
  const dataDir = temporaryFolder();
  const other = createServer();
  await new Promise<void>((listening) => other.listen(0, '127.0.0.1', listening));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const cases: [Record<string, string>, RegExp][] = [
    [{ LM_MODEL: '/nowhere' }, /^The model directory \/nowhere lacks config\.json;[^\n]*\n$/],
    [{ PORT: String(port) }, new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is taken[^\\n]*\\n$`)],
    [
      { DATABASE_URL: 'postgresql://u:secret@127.0.0.1:1/x' },
      /^The database at 127\.0\.0\.1:1 cannot be used(?!.*secret)[^\n]*\n$/,
    ],
  ];
  for (const [variables, expected] of cases) {
    const { code, said } = await ended(
      start({ SACCADE_DATA_DIR: dataDir, LOG_LEVEL: 'silent', ...variables }),
    );
    expect(said).toMatch(expected);
    expect(code).toBe(1);
  }
  expect(postgresRuns(dataDir)).toBe(false);
});

it('serves until it is told to stop, then leaves nothing running', async () => {
  const dataDir = temporaryFolder();
  const child = start({ SACCADE_DATA_DIR: dataDir });
  const finished = ended(child);
  const url = await servingUrl(child);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(postgresRuns(dataDir)).toBe(true);
  child.kill('SIGTERM');
  await finished;
  expect(postgresRuns(dataDir)).toBe(false);
});
