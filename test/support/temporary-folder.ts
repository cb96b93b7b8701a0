import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

/** A folder that is removed when the test has ended. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'saccade-test-'));
  chmodSync(folder, 0o755); // PostgreSQL may run as another user
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A folder that is removed when the tests of the file have ended. */
export function folderForFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'saccade-test-'));
  chmodSync(folder, 0o755); // PostgreSQL may run as another user
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
