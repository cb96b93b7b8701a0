import ffmpeg from 'fluent-ffmpeg';
import { Writable } from 'node:stream';
import { DecodeArguments } from './ffmpeg-arguments.js';
import { FfmpegProgram } from './ffmpeg-program.js';

/** One run of FFmpeg over a local file, from its start until the process is gone. */
export class DecodeProcess {
  /** Resolves once the process has ended, with null or with what it ended on. Never rejects. */
  readonly ended: Promise<Error | null>;
  /** Whether there is, or was, a process. */
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
    surviveFailedSpawn(this.command, () => (this.spawned = false));
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

type Ended = (error: Error | null, stdout?: Lines, stderr?: Lines) => void;
type Started = (...given: unknown[]) => void;
/** With three arguments, a query of FFmpeg's capabilities, the third is `ended`. */
type Spawn = (args: string[], options: object, started: Started | Ended, ended?: Ended) => void;
interface Lines {
  get(): string;
}

const NO_LINES: Lines = { get: () => '' };

/**
 * When a process cannot be started (program gone, too many processes or open files), fluent-ffmpeg 2.1.3 reads output
 * that there is not and throws where nobody can catch it, which would end the server.
 */
function surviveFailedSpawn(command: ffmpeg.FfmpegCommand, onFailure: () => void): void {
  const { _spawnFfmpeg: spawn } = command as ffmpeg.FfmpegCommand & { _spawnFfmpeg: Spawn };
  const guarded: Spawn = (args, options, started, ended) => {
    const report = ended ?? (started as Ended);
    const settle: Ended = (error, stdout, stderr) => {
      if (stdout === undefined) onFailure();
      report(error, stdout ?? NO_LINES, stderr ?? NO_LINES);
    };
    try {
      if (ended === undefined) spawn.call(command, args, options, settle);
      else spawn.call(command, args, options, started, settle);
    } catch (error) {
      settle(error instanceof Error ? error : new Error(String(error)));
    }
  };
  Object.assign(command, { _spawnFfmpeg: guarded });
}
