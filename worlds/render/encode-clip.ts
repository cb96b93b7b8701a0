import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Writes pictures as an H.264 clip that any player, and a 2018 ffmpeg, can decode. */
export class ClipEncoder {
  private readonly child;
  private readonly finished: Promise<unknown[]>;

  constructor(file: string, framesPerSecond: number, quality: number) {
    const input = ['-f', 'image2pipe', '-framerate', String(framesPerSecond), '-c:v', 'png', '-i', 'pipe:0'];
    // One thread and no timestamps of the day: the same pictures give the same file.
    const output = [
      '-c:v',
      'libx264',
      '-threads',
      '1',
      '-preset',
      'slow',
      '-crf',
      String(quality),
      '-pix_fmt',
      'yuv420p',
    ];
    const container = [
      '-movflags',
      '+faststart',
      '-fflags',
      '+bitexact',
      '-flags:v',
      '+bitexact',
      '-map_metadata',
      '-1',
    ];
    this.child = spawn('ffmpeg', ['-y', '-loglevel', 'error', ...input, ...output, ...container, file], {
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    this.finished = once(this.child, 'close');
  }

  async add(png: Buffer): Promise<void> {
    if (!this.child.stdin.write(png)) await once(this.child.stdin, 'drain');
  }

  async finish(): Promise<void> {
    this.child.stdin.end();
    const [code] = await this.finished;
    if (code !== 0) throw new Error(`ffmpeg ended with status ${String(code)}`);
  }
}
