import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { DatabaseModule } from '../database/database.module.js';
import { encodeJpeg } from '../frames/encode-jpeg.js';
import { FrameSource } from '../frames/frame-source.js';
import { FRAME_SOURCE, FramesModule } from '../frames/frames.module.js';
import { ImageFrames } from '../frames/image-frames.js';
import { KeyframeSelectorFactory } from '../keyframes/keyframe-selector.js';
import { KEYFRAME_SELECTORS, KeyframesModule } from '../keyframes/keyframes.module.js';
import { LanguageModel } from '../lm/language-model.js';
import { LANGUAGE_MODEL, LOADED_POLICY } from '../lm/lm.module.js';
import { LoadedPolicy } from '../lm/loaded-policy.js';
import { PerceptionModule } from '../perception/perception.module.js';
import { PerceptionPipeline } from '../perception/perception-pipeline.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { PolicyRepository } from '../policies/policy.repository.js';
import { TrajectoriesModule } from '../trajectories/trajectories.module.js';
import { TrajectoryRepository } from '../trajectories/trajectory.repository.js';
import { Observer } from './observer.js';
import { ReasonController } from './reason.controller.js';
import { ReasonService } from './reason.service.js';
import { RequestReader } from './request-reader.js';

@Module({
  imports: [
    DatabaseModule,
    FramesModule,
    KeyframesModule,
    PerceptionModule,
    PoliciesModule,
    TrajectoriesModule,
  ],
  controllers: [ReasonController],
  providers: [
    {
      provide: Observer,
      inject: [Settings, KEYFRAME_SELECTORS, PerceptionPipeline],
      useFactory: (settings: Settings, selectors: KeyframeSelectorFactory, perception: PerceptionPipeline) =>
        new Observer(selectors, perception, {
          min: settings.keyframeMin,
          max: settings.keyframeMax,
          encode: (frame) => encodeJpeg(frame, settings.keyframeJpegQuality),
        }),
    },
    {
      provide: RequestReader,
      inject: [Settings, FRAME_SOURCE],
      useFactory: (settings: Settings, frames: FrameSource) =>
        new RequestReader(
          frames,
          (images, timestampsMs, signal) =>
            ImageFrames.open(
              images,
              timestampsMs,
              {
                sampleFps: settings.sampleFps,
                maxWidth: settings.frameMaxSide,
                maxCount: settings.framesMaxCount,
                maxBytes: settings.frameMaxBytes,
                maxPixels: settings.frameMaxPixels,
              },
              signal,
            ),
          {
            dataDir: settings.saccadeDataDir,
            videoMaxBytes: settings.videoMaxBytes,
            temperature: settings.lmTemperature,
          },
        ),
    },
    {
      provide: ReasonService,
      inject: [Settings, Observer, LANGUAGE_MODEL, LOADED_POLICY, PolicyRepository, TrajectoryRepository],
      useFactory: (
        settings: Settings,
        observer: Observer,
        model: LanguageModel,
        policy: LoadedPolicy,
        policies: PolicyRepository,
        trajectories: TrajectoryRepository,
      ) =>
        new ReasonService(observer, model, () => policies.ensure(policy), trajectories, {
          timeoutMs: settings.requestTimeoutMs,
          maxConcurrent: settings.maxConcurrentQuestions,
          maxTokens: settings.lmMaxTokens,
          topP: settings.lmTopP,
          looksForQuestion: settings.vlmQuestionPass,
        }),
    },
  ],
})
export class ReasonModule {}
