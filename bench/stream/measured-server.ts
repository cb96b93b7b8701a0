import { ChildProcess, fork } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ServerFigures, ServerReply, ServerRequest } from './server-process.js';

/** A server in its own process with its own database, whose memory and event loop can be asked for. */
export class MeasuredServer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly dataDir: string,
    /** Such as `http://127.0.0.1:41234`. */
    readonly url: string,
  ) {}

  static async start(variables: Record<string, string>): Promise<MeasuredServer> {
    const dataDir = mkdtempSync(join(tmpdir(), 'saccade-bench-'));
    chmodSync(dataDir, 0o755); // PostgreSQL may run as another user
    const child = fork(fileURLToPath(new URL('./server-process.js', import.meta.url)), {
      env: { ...process.env, PORT: '0', LOG_LEVEL: 'error', SACCADE_DATA_DIR: dataDir, ...variables },
    });
    const reply = await next(child);
    if (!('url' in reply)) throw new Error('The server did not tell its address.');
    return new MeasuredServer(child, dataDir, reply.url);
  }

  get streamUrl(): string {
    return `${this.url.replace(/^http/, 'ws')}/stream`;
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Event-loop delay and CPU are counted from here. */
  reset(): void {
    this.child.send('reset' satisfies ServerRequest);
  }

  async figures(): Promise<ServerFigures> {
    const reply = next(this.child);
    this.child.send('measure' satisfies ServerRequest);
    const told = await reply;
    if (!('figures' in told)) throw new Error('The server did not tell its figures.');
    return told.figures;
  }

  async stop(): Promise<void> {
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.send('stop' satisfies ServerRequest);
    await gone;
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

function next(child: ChildProcess): Promise<ServerReply> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`The server ended with code ${code}.`));
    child.once('exit', failed);
    child.once('message', (reply: ServerReply) => {
      child.off('exit', failed);
      resolve(reply);
    });
  });
}
