import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../config/load-settings.js';
import { packageRoot } from '../config/package-root.js';
import { startServer } from '../server.js';

/** `npm run asyncapi:docs`: writes docs/asyncapi.json as the server tells it. */
const dataDir = mkdtempSync(join(tmpdir(), 'saccade-asyncapi-'));
const { url, close } = await startServer(
  loadSettings({ PORT: '0', LOG_LEVEL: 'error', SACCADE_DATA_DIR: dataDir }),
);
try {
  const document: unknown = await (await fetch(`${url}/docs/asyncapi.json`)).json();
  writeFileSync(join(packageRoot(), 'docs', 'asyncapi.json'), `${JSON.stringify(document, null, 2)}\n`);
  console.log('Wrote docs/asyncapi.json');
} finally {
  await close();
  rmSync(dataDir, { recursive: true, force: true });
}
