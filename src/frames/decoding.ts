import { cancelled, SaccadeError } from '../errors/saccade-error.js';
import { decodeTimeout, tooManyPixels, VideoField, videoTooLong } from './decode-errors.js';
import { DecodeProcess } from './decode-process.js';
import { DecoderLog } from './decoder-log.js';
import { decodeArguments, DecodeLimits } from './ffmpeg-arguments.js';
import { FfmpegProgram } from './ffmpeg-program.js';
import { FrameAssembler, RawFrame } from './frame-assembler.js';

export interface DecodeOptions extends DecodeLimits {
  maxDurationMs: number;
  /** Longest time spent waiting for the decoder; the time that the consumer takes does not count. */
  decodeTimeoutMs: number;
}

/** A video file to decode, and how to name and release it. */
export interface LocalVideo {
  path: string;
  field: VideoField;
  /** Called once, when the file is no longer needed. */
  release: () => Promise<void>;
}

/** Frames that are decoded ahead of the consumer. */
const FRAMES_AHEAD = 2;

/**
 * One decoder at work: its process, its output and its limits. Whatever ends it (the last frame, a limit, the signal,
 * `close`), the process is killed and reaped and the file released.
 */
export class Decoding {
  readonly log: DecoderLog;
  private readonly frames = new FrameAssembler(FRAMES_AHEAD);
  private readonly process: DecodeProcess;
  private readonly onAbort = () => this.fail(cancelled('Reading the video'));
  private failure: SaccadeError | null = null;
  private closing: Promise<void> | null = null;
  private waitedMs = 0;

  constructor(
    program: FfmpegProgram,
    private readonly video: LocalVideo,
    private readonly options: DecodeOptions,
    private readonly signal: AbortSignal,
  ) {
    const url = `file:${video.path}`;
    this.log = new DecoderLog(url);
    this.process = new DecodeProcess(program, url, decodeArguments(program, options), this.frames, (line) =>
      this.read(line),
    );
    void this.process.ended.then(() => {
      if (this.process.spawned) this.frames.endMarks();
      else this.frames.stop(); // nobody else would end the output
    });
    signal.addEventListener('abort', this.onAbort, { once: true });
    if (signal.aborted) this.onAbort();
  }

  /**
   * The next frame; null after the last one.
   * @throws SaccadeError when a limit was crossed or the signal aborted
   */
  async take(): Promise<RawFrame | null> {
    const { decodeTimeoutMs } = this.options;
    const asked = performance.now();
    const onTimeout = () => this.fail(decodeTimeout(this.video.field, decodeTimeoutMs));
    const timer = setTimeout(onTimeout, Math.max(0, decodeTimeoutMs - this.waitedMs));
    try {
      const frame = await this.frames.take();
      if (this.failure !== null) throw this.failure;
      return frame;
    } finally {
      clearTimeout(timer);
      this.waitedMs += performance.now() - asked;
    }
  }

  /** Whether there was a process at all. */
  get spawned(): boolean {
    return this.process.spawned;
  }

  /** What the process ended on, once it has; null when it ended well. */
  get ended(): Promise<Error | null> {
    return this.process.ended;
  }

  /** Whether pictures came in another size than the first, and were stretched to it. */
  get sizeChanged(): boolean {
    return this.frames.sizeChanged;
  }

  /** Frames that were described but not written whole, or the other way round. */
  get lostFrames(): number {
    return this.frames.leftover;
  }

  /** @returns once the process is gone and the file released */
  close(): Promise<void> {
    this.closing ??= this.shutDown();
    return this.closing;
  }

  private read(line: string): void {
    const { maxDurationMs, maxPixels } = this.options;
    const mark = this.log.read(line);
    const reachedMs = mark === null ? this.log.durationMs : mark.timestampMs;
    if (reachedMs !== null && reachedMs > maxDurationMs) {
      this.fail(videoTooLong(this.video.field, maxDurationMs));
    } else if (mark !== null) {
      this.frames.mark(mark);
    } else if (this.log.video !== null && this.log.video.pixels > maxPixels) {
      const { width, height } = this.log.video;
      this.fail(tooManyPixels(this.video.field, `${width}x${height}`, maxPixels));
    }
  }

  private fail(error: SaccadeError): void {
    if (this.closing !== null) return;
    this.failure = error;
    this.close().catch(() => undefined); // whoever reads the frames awaits it too
  }

  private async shutDown(): Promise<void> {
    this.signal.removeEventListener('abort', this.onAbort);
    this.frames.stop();
    await this.process.kill();
    await this.video.release();
  }
}
