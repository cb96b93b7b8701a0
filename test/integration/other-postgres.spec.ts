import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { canReach, postgresUser } from '../../src/database/embedded/postgres-user.js';
import { startPlainPostgres } from '../support/plain-postgres.js';
import { clipForm, startTestServer } from '../support/running-server.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('the server keeps its trajectories in a PostgreSQL that somebody else runs', async () => {
  const postgres = await startPlainPostgres();
  onTestFinished(postgres.stop);
  const server = await startTestServer({ DATABASE_URL: postgres.url });
  try {
    const asked = await fetch(`${server.url}/reason`, {
      method: 'POST',
      body: clipForm({ question: 'Which way did I turn?', options: '["left","right"]' }),
    });
    expect(asked.status, postgres.name).toBe(200);
    const { trajectory_id: id } = (await asked.json()) as { trajectory_id: string };
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query('SELECT id FROM trajectories');
    await client.end();
    expect(rows).toEqual([{ id }]);
  } finally {
    await server.close();
  }
});

const dist = join(import.meta.dirname, '../../dist/src/database/embedded/embedded-postgres.js');
const other = postgresUser();

it.runIf(other !== null && canReach(other, dist))('starts for an ordinary user', async () => {
  const dataDir = temporaryFolder();
  chownSync(dataDir, other!.uid, other!.gid);
  const script = `import { EmbeddedPostgres } from ${JSON.stringify(dist)};
    const postgres = new EmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)} });
    process.send(await postgres.start());
    await postgres.stop();
    process.disconnect();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    ...other!,
    cwd: '/',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [url] = (await once(child, 'message')) as [string];
  expect(url).toMatch(/^postgresql:\/\/saccade:.*@127\.0\.0\.1:\d+\/saccade$/);
  expect(await once(child, 'exit')).toEqual([0, null]);
});
