import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { FfmpegFrameSource } from './ffmpeg-frame-source.js';
import { frameSourceOptions } from './frame-source-options.js';

export const FRAME_SOURCE = Symbol('FrameSource');

@Module({
  providers: [
    {
      provide: FRAME_SOURCE,
      inject: [Settings],
      useFactory: (settings: Settings) => new FfmpegFrameSource(frameSourceOptions(settings)),
    },
  ],
  exports: [FRAME_SOURCE],
})
export class FramesModule {}
