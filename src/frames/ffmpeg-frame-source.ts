import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { cancelled, SaccadeError } from '../errors/saccade-error.js';
import { emptyVideo, videoTooLarge } from './decode-errors.js';
import { DecodedVideo } from './decoded-video.js';
import { DecodeOptions, LocalVideo } from './decoding.js';
import { FfmpegProgram, findFfmpeg } from './ffmpeg-program.js';
import { FrameSource, FrameStream, VideoInput } from './frame-source.js';
import { downloadVideo, RemoteVideoOptions } from './remote-video.js';

export interface FfmpegFrameSourceOptions extends DecodeOptions, RemoteVideoOptions {
  /** FFmpeg to use; unset takes the system's, then the one that npm installed. */
  ffmpegPath?: string;
  /** Folder for downloads and, where npm's FFmpeg may not be started, its copy. */
  dataDir: string;
}

const keep = async () => undefined;

/** Opens video files and addresses with FFmpeg. */
export class FfmpegFrameSource implements FrameSource {
  private found: Promise<FfmpegProgram> | null = null;

  constructor(private readonly options: FfmpegFrameSourceOptions) {}

  async open(input: VideoInput, signal: AbortSignal): Promise<FrameStream> {
    if (signal.aborted) throw cancelled('Reading the video');
    const program = await this.program();
    if (input.kind === 'file')
      return this.decode(program, { path: resolve(input.path), field: 'video', release: keep }, signal);
    const { path, remove } = await downloadVideo(input.url, this.options, signal);
    return this.decode(program, { path: resolve(path), field: 'video_url', release: remove }, signal);
  }

  /**
   * The FFmpeg in use; looked for once. Call it at start to fail early.
   * @throws SaccadeError ffmpeg_missing
   */
  program(): Promise<FfmpegProgram> {
    this.found ??= findFfmpeg(this.options).catch((error: unknown) => {
      this.found = null; // one may be installed in the meantime
      throw error;
    });
    return this.found;
  }

  private async decode(program: FfmpegProgram, video: LocalVideo, signal: AbortSignal): Promise<FrameStream> {
    try {
      await this.checkFile(video);
    } catch (error) {
      await video.release();
      throw error;
    }
    return DecodedVideo.open(program, video, this.options, signal).catch((error: unknown) => {
      if (error instanceof SaccadeError && error.code === 'ffmpeg_not_started') this.found = null;
      throw error;
    });
  }

  private async checkFile({ path, field }: LocalVideo): Promise<void> {
    const file = await stat(path).catch((cause: unknown) => {
      throw new SaccadeError(
        'not_found',
        'video_missing',
        'The video file does not exist or cannot be read.',
        { field, cause },
      );
    });
    if (!file.isFile())
      throw new SaccadeError('input', 'not_a_file', 'The video is not a regular file.', { field });
    if (file.size === 0) throw emptyVideo(field);
    if (file.size > this.options.maxBytes) throw videoTooLarge(field, this.options.maxBytes);
  }
}
