import { ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createInterface, Interface } from 'node:readline';
import { join } from 'node:path';
import { packageRoot } from '../../src/config/package-root.js';
import { Clip } from './clip.js';

export interface Cv2Decision {
  frame: number;
  keyframe: number;
  keep: boolean;
  overlap: number | null;
  matches: number;
  inliers: number;
  /** Verdicts on the same pair with its matches in another order. */
  shuffled: boolean[];
}

/** Debian's OpenCV in a Python process of its own, one request at a time. */
export class Cv2Oracle {
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly lines: AsyncIterator<string>;
  private readonly reader: Interface;
  private errors = '';

  /** Null, with the reason on the console, where Python or OpenCV is missing. */
  static async open(): Promise<Cv2Oracle | null> {
    const oracle = new Cv2Oracle();
    try {
      await oracle.ask({ kind: 'version' });
      return oracle;
    } catch (error) {
      console.log((error as Error).message);
      return null;
    }
  }

  constructor(python = '/usr/bin/python3') {
    const script = join(packageRoot(), 'test/oracles/keyframes/cv2_keyframes.py');
    this.process = spawn(python, [script], { stdio: 'pipe' });
    this.process.stderr.on('data', (chunk: Buffer) => (this.errors += chunk.toString()));
    this.process.on('error', (error) => (this.errors += error.message));
    // A process that has died closes its output, which `ask` reports.
    this.process.stdin.on('error', () => undefined);
    this.reader = createInterface({ input: this.process.stdout });
    this.lines = this.reader[Symbol.asyncIterator]();
  }

  /** The rule over a clip; with `keyframes`, each frame is compared with the one given for it. */
  async rule(clip: Clip, shuffles: number, keyframes?: readonly number[]): Promise<Cv2Decision[]> {
    const reply = await this.ask({ kind: 'rule', ...place(clip), shuffles, keyframes });
    return (reply as { decisions: Cv2Decision[] }).decisions;
  }

  /** Milliseconds of each frame after the first; `small` shrinks the frames before the clock starts. */
  async time(clip: Clip, frames: readonly number[], small?: readonly [number, number]): Promise<number[]> {
    const reply = await this.ask({ kind: 'timing', ...place(clip), frames, small });
    return (reply as { ms: number[] }).ms;
  }

  close(): void {
    this.process.stdin.end();
    this.reader.close();
  }

  private async ask(request: object): Promise<unknown> {
    this.process.stdin.write(JSON.stringify(request) + '\n');
    const line = await this.lines.next();
    if (line.done)
      throw new Error(`OpenCV's process ended; install Debian's python3-opencv.\n${this.errors}`);
    return JSON.parse(line.value);
  }
}

function place(clip: Clip): object {
  return { path: clip.path, width: clip.width, height: clip.height };
}
