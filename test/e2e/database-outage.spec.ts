import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clipForm, startTestServer, TestServer } from '../support/running-server.js';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

it('says that the database is away, on every route that needs it, and that trying again may help', async () => {
  const pidFile = join(server.dataDir, 'postgres/data/postmaster.pid');
  process.kill(Number(readFileSync(pidFile, 'utf8').split('\n')[0]), 'SIGKILL');
  const form = () => clipForm({ question: 'Which way did I turn?', options: '["left","right"]' });
  const requests: [string, RequestInit][] = [
    ['/readyz', {}],
    ['/trajectories', {}],
    ['/trajectories/0193e0a0-0000-7000-8000-000000000000', {}],
    ['/reason', { method: 'POST', body: form() }],
  ];
  for (const [path, init] of requests) {
    const response = await fetch(server.url + path, init);
    expect(await response.json(), path).toMatchObject({
      status: 503,
      code: 'database_unreachable',
      upstream: 'database',
      retryable: true,
    });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('2');
  }
  expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
});
