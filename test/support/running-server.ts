import { mkdtempSync, rmSync, chmodSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { loadSettings } from '../../src/config/load-settings.js';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { startServer } from '../../src/server.js';

export interface TestServer {
  url: string;
  dataDir: string;
  /** Rows of each table that a question writes to. */
  countRows: () => Promise<Record<string, number>>;
  close: () => Promise<void>;
}

const TABLES = ['sessions', 'keyframes', 'questions', 'trajectories'];

/** The whole server on a free port with a fresh database of its own. */
export async function startTestServer(variables: Record<string, string> = {}): Promise<TestServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'saccade-e2e-'));
  chmodSync(dataDir, 0o755); // PostgreSQL may run as another user
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const settings = loadSettings({
      PORT: '0',
      LOG_LEVEL: 'silent',
      SACCADE_DATA_DIR: dataDir,
      LM_THREADS: '1',
      ...variables,
    });
    const { url, close } = await startServer(settings);
    return {
      url,
      dataDir,
      countRows: () => countRows(dataDir),
      close: async () => {
        await close();
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}

async function countRows(dataDir: string): Promise<Record<string, number>> {
  const client = new pg.Client({ connectionString: await new EmbeddedPostgres({ dataDir }).start() });
  await client.connect();
  try {
    const counts: Record<string, number> = {};
    for (const table of TABLES) {
      const { rows } = await client.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
      counts[table] = rows[0]!.count;
    }
    return counts;
  } finally {
    await client.end();
  }
}

export const SAMPLE_CLIP = new URL('../../samples/room.mp4', import.meta.url);

/** A form with the sample clip and the given fields. */
export function clipForm(
  fields: Record<string, string>,
  clip: Uint8Array = readFileSync(SAMPLE_CLIP),
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('video', new Blob([Uint8Array.from(clip)], { type: 'video/mp4' }), 'clip.mp4');
  return form;
}
