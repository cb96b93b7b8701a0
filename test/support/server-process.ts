import { ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const main = join(import.meta.dirname, '../../dist/src/main.js');

/** The built server as a process of its own, which can be killed. */
export function startProcess(variables: Record<string, string>): ChildProcess {
  const { PATH, HOME } = process.env;
  const env = { PATH, HOME, PORT: '0', ...variables };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** Where it serves, once it does. */
export async function servingUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = /serves on (http:\/\/[\d.:]+)/.exec(line)?.[1];
    if (url !== undefined) {
      child.stdout!.resume();
      return url;
    }
  }
  throw new Error('The server ended before it served.');
}
