import { cancelled, SaccadeError } from '../errors/saccade-error.js';
import { FrameStream, VideoInfo } from './frame-source.js';
import { Frame } from './frame.js';
import { decodeImage, ImageHead, ImageLimits, readImageHead } from './image-decoder.js';
import { matchSize } from './match-size.js';

export interface ImageFramesOptions extends ImageLimits {
  maxCount: number;
  /** Spacing of pictures that come without times. */
  sampleFps: number;
}

/** Pictures of one request as a stream of frames, each decoded when its turn comes. */
export class ImageFrames implements FrameStream {
  readonly warnings: string[] = [];

  private constructor(
    private readonly heads: readonly ImageHead[],
    private readonly times: readonly number[],
    readonly info: VideoInfo,
    private readonly limits: ImageLimits,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * @param images base64 texts or `data:` addresses
   * @param timestampsMs one time each, increasing; without them the pictures are spaced at the sampling rate
   * @throws SaccadeError that names the picture, such as `frames[3]`
   */
  static async open(
    images: readonly string[],
    timestampsMs: readonly number[] | undefined,
    options: ImageFramesOptions,
    signal: AbortSignal,
  ): Promise<ImageFrames> {
    if (images.length === 0)
      throw new SaccadeError('input', 'no_video', 'frames is empty. Send at least one picture.', {
        field: 'frames',
      });
    if (images.length > options.maxCount) throw tooMany(images.length, options.maxCount);
    const times =
      timestampsMs ?? images.map((_image, index) => Math.round((index * 1000) / options.sampleFps));
    checkTimes(times, images.length);
    const heads: ImageHead[] = [];
    for (const [index, image] of images.entries()) {
      if (signal.aborted) throw cancelled('Reading the frames');
      heads.push(await readImageHead(image, `frames[${index}]`, options));
    }
    const { width, height, kind } = heads[0]!;
    return new ImageFrames(
      heads,
      times,
      { durationMs: times.at(-1)!, width, height, codec: kind },
      options,
      signal,
    );
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame, void, void> {
    let size: { width: number; height: number } | null = null;
    for (const [index, head] of this.heads.entries()) {
      if (this.signal.aborted) throw cancelled('Reading the frames');
      const image = await decodeImage(head, `frames[${index}]`, this.limits);
      size ??= { width: image.width, height: image.height };
      if (image.width !== size.width || image.height !== size.height) this.noteSize(index);
      yield { index, timestampMs: this.times[index]!, ...size, rgb: await matchSize(image.rgb, image, size) };
    }
  }

  private noteSize(index: number): void {
    if (this.warnings.length > 0) return;
    this.warnings.push(
      `The pictures differ in size, first frames[${index}]: they were fitted into the size of the first.`,
    );
  }
}

function checkTimes(times: readonly number[], count: number): void {
  const field = 'frame_timestamps_ms';
  if (times.length !== count) {
    const message = `frame_timestamps_ms has ${times.length} times for ${count} frames. Send one each, or none.`;
    throw new SaccadeError('input', 'frame_times_mismatch', message, { field, limit: count });
  }
  const wrong = times.findIndex(
    (time, index) => !(Number.isFinite(time) && time >= 0 && (index === 0 || time > times[index - 1]!)),
  );
  if (wrong >= 0) {
    const message = `frame_timestamps_ms[${wrong}] is ${times[wrong]}: times must be at least 0 and each later than the one before.`;
    throw new SaccadeError('input', 'frame_times_order', message, { field: `${field}[${wrong}]` });
  }
}

function tooMany(count: number, maxCount: number): SaccadeError {
  const message = `frames holds ${count} pictures; at most ${maxCount} are read (FRAMES_MAX_COUNT). Send fewer, or a video.`;
  return new SaccadeError('too_large', 'too_many_frames', message, { field: 'frames', limit: maxCount });
}
