import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { encodeJpeg } from '../frames/encode-jpeg.js';
import { KeyframeSelectorFactory } from '../keyframes/keyframe-selector.js';
import { KEYFRAME_SELECTORS, KeyframesModule } from '../keyframes/keyframes.module.js';
import { PerceptionModule } from '../perception/perception.module.js';
import { PerceptionPipeline } from '../perception/perception-pipeline.js';
import { LiveModule } from '../sessions/live/live.module.js';
import { LiveSessions } from '../sessions/live/live-sessions.js';
import { QuestionRunner } from './question-runner.js';
import { PROMPT_MAX_FRAMES, QuestionsModule } from './questions.module.js';
import { ReasonController } from './reason.controller.js';
import { ReasonService } from './reason.service.js';
import { Reasoner } from './reasoner.js';
import { VideoWatcher } from './video-watcher.js';

@Module({
  imports: [KeyframesModule, LiveModule, PerceptionModule, QuestionsModule],
  controllers: [ReasonController],
  providers: [
    {
      provide: VideoWatcher,
      inject: [Settings, KEYFRAME_SELECTORS, PerceptionPipeline],
      useFactory: (settings: Settings, selectors: KeyframeSelectorFactory, perception: PerceptionPipeline) =>
        new VideoWatcher(selectors, perception, {
          min: settings.keyframeMin,
          max: settings.keyframeMax,
          encode: (frame) => encodeJpeg(frame, settings.keyframeJpegQuality),
          concurrency: settings.perceptionConcurrency,
        }),
    },
    {
      provide: ReasonService,
      inject: [VideoWatcher, LiveSessions, QuestionRunner, Reasoner, PROMPT_MAX_FRAMES],
      useFactory: (
        watcher: VideoWatcher,
        sessions: LiveSessions,
        runner: QuestionRunner,
        reasoner: Reasoner,
        maxFrames: number,
      ) => new ReasonService(watcher, sessions, runner, reasoner, maxFrames),
    },
  ],
})
export class ReasonModule {}
