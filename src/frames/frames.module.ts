import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { FfmpegFrameSource } from './ffmpeg-frame-source.js';

export const FRAME_SOURCE = Symbol('FrameSource');

@Module({
  providers: [
    {
      provide: FRAME_SOURCE,
      inject: [Settings],
      useFactory: (settings: Settings) =>
        new FfmpegFrameSource({
          ffmpegPath: settings.ffmpegPath,
          dataDir: settings.saccadeDataDir,
          sampleFps: settings.sampleFps,
          maxWidth: settings.frameMaxSide,
          maxPixels: settings.frameMaxPixels,
          maxBytes: settings.videoMaxBytes,
          maxDurationMs: settings.videoMaxSeconds * 1000,
          decodeTimeoutMs: settings.decodeTimeoutMs,
          threads: settings.decodeThreads,
          downloadTimeoutMs: settings.videoDownloadTimeoutMs,
          allowPrivateAddresses: settings.allowPrivateVideoUrls,
        }),
    },
  ],
  exports: [FRAME_SOURCE],
})
export class FramesModule {}
