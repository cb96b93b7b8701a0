import { SaccadeError } from '../errors/saccade-error.js';
import { noFrames, notStarted } from './decode-errors.js';
import { DecodeOptions, Decoding, LocalVideo } from './decoding.js';
import { FfmpegProgram } from './ffmpeg-program.js';
import { RawFrame } from './frame-assembler.js';
import { FrameStream, VideoInfo } from './frame-source.js';
import { Frame } from './frame.js';
import { SamplingGrid } from './sampling-grid.js';

/** Slack between the announced and the seen end: sound may be longer than the pictures. */
const END_SLACK_MS = 1000;

/** A video whose first frame has been decoded. It can be read once. */
export class DecodedVideo implements FrameStream {
  readonly warnings: string[] = [];
  private readonly grid: SamplingGrid;
  private read = false;

  private constructor(
    readonly info: VideoInfo,
    private readonly first: RawFrame,
    private readonly decoding: Decoding,
    private readonly sampleFps: number,
  ) {
    this.grid = new SamplingGrid(sampleFps);
  }

  /**
   * Starts the decoder and waits for the first frame.
   * @throws SaccadeError that names the field
   */
  static async open(
    program: FfmpegProgram,
    video: LocalVideo,
    options: DecodeOptions,
    signal: AbortSignal,
  ): Promise<DecodedVideo> {
    const decoding = new Decoding(program, video, options, signal);
    try {
      const first = await decoding.take();
      if (first === null) {
        const end = await decoding.ended;
        throw decoding.spawned
          ? noFrames(video.field, decoding.log, options.maxPixels, end)
          : notStarted(end);
      }
      return new DecodedVideo(describe(decoding, first), first, decoding, options.sampleFps);
    } catch (error) {
      await decoding.close();
      throw error;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame, void, void> {
    if (this.read)
      throw new SaccadeError(
        'internal',
        'video_read_twice',
        'A decoded video can be read once. Open it again.',
      );
    this.read = true;
    const { width, height } = this.first;
    let index = 0;
    let lastMs = 0;
    try {
      for (let raw: RawFrame | null = this.first; raw !== null; raw = await this.decoding.take()) {
        const timestampMs = Math.max(0, raw.timestampMs ?? lastMs);
        if (!this.grid.takes(timestampMs)) continue;
        lastMs = timestampMs;
        yield { index: index++, timestampMs, width, height, rgb: raw.rgb };
      }
      this.confess(await this.decoding.ended, lastMs);
    } finally {
      await this.decoding.close();
    }
  }

  /** Writes down what was wrong with a video that has been read to its end. */
  private confess(end: Error | null, lastMs: number): void {
    const { durationMs, problemCount, problems } = this.decoding.log;
    if (end === null && this.decoding.lostFrames > 0) {
      const message =
        'FFmpeg described another number of frames than it wrote, so their times are not certain. Set FFMPEG_PATH to another one.';
      throw new SaccadeError('internal', 'frames_lost', message, { field: 'FFMPEG_PATH' });
    }
    if (problemCount > 0) {
      this.warnings.push(
        `The video is damaged: the decoder complained ${problemCount} times, first "${problems[0]}". What could be decoded was used.`,
      );
    } else if (end !== null) {
      this.warnings.push(`The decoder stopped early: ${end.message.slice(0, 200)}.`);
    }
    if (durationMs !== null && durationMs - lastMs > 1000 / this.sampleFps + END_SLACK_MS) {
      this.warnings.push(
        `The last picture is at ${lastMs / 1000} s of the ${durationMs / 1000} s that the file announces: it may be cut off.`,
      );
    }
    if (this.decoding.sizeChanged) {
      this.warnings.push(
        'The picture size changes within the video: later pictures were stretched to the size of the first.',
      );
    }
  }
}

function describe({ log }: Decoding, first: RawFrame): VideoInfo {
  const { codec = 'unknown', width = 0, height = 0 } = log.video ?? {};
  const size = width > 0 && height > 0 ? { width, height } : { width: first.width, height: first.height };
  return { durationMs: log.durationMs, codec, ...size };
}
