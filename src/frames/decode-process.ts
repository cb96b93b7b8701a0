import ffmpeg from 'fluent-ffmpeg';
import { Writable } from 'node:stream';
import { DecodeArguments } from './ffmpeg-arguments.js';
import { FfmpegProgram } from './ffmpeg-program.js';

/** One run of FFmpeg over a local file, from its start until the process is gone. */
export class DecodeProcess {
  /** Resolves once the process has ended, with null or with what it ended on. Never rejects. */
  readonly ended: Promise<Error | null>;
  /** Whether there ever was a process. */
  spawned = false;
  private readonly command: ffmpeg.FfmpegCommand;
  private killed = false;

  constructor(
    program: FfmpegProgram,
    inputUrl: string,
    plan: DecodeArguments,
    output: Writable,
    onLine: (line: string) => void,
  ) {
    this.command = ffmpeg(inputUrl)
      .inputOptions(plan.input)
      .videoFilters(plan.filters)
      .outputOptions(plan.output)
      .output(output, { end: true })
      .on('stderr', onLine)
      .on('start', () => {
        this.spawned = true;
        if (this.killed) this.command.kill('SIGKILL'); // stopped before there was a process
      });
    usePath(this.command, program.path);
    this.ended = new Promise((resolve) => {
      this.command.on('end', () => resolve(null)).on('error', (error: Error) => resolve(error));
    });
    this.command.run();
  }

  /** @returns once the process is gone */
  async kill(): Promise<void> {
    this.killed = true;
    // SIGKILL, since a decoder that is stuck in a damaged stream does not look at other signals
    this.command.kill('SIGKILL');
    await this.ended;
  }
}

/** fluent-ffmpeg keeps one program for the whole process; sources with different programs must not share it. */
function usePath(command: ffmpeg.FfmpegCommand, path: string): void {
  Object.assign(command, {
    _getFfmpegPath: (found: (error: null, path: string) => void) => found(null, path),
  });
}
