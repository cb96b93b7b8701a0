import { Module } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { FrameSource } from '../frames/frame-source.js';
import { FRAME_SOURCE, FramesModule } from '../frames/frames.module.js';
import { ImageFrames } from '../frames/image-frames.js';
import { LanguageModel } from '../lm/language-model.js';
import { LANGUAGE_MODEL, LOADED_POLICY } from '../lm/lm.module.js';
import { LoadedPolicy } from '../lm/loaded-policy.js';
import { PerceptionModule } from '../perception/perception.module.js';
import { PerceptionPipeline } from '../perception/perception-pipeline.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { PolicyRepository } from '../policies/policy.repository.js';
import { TrajectoriesModule } from '../trajectories/trajectories.module.js';
import { TrajectoryRepository } from '../trajectories/trajectory.repository.js';
import { QuestionRunner } from './question-runner.js';
import { Reasoner } from './reasoner.js';
import { RequestReader } from './request-reader.js';

/** Most lines of observations in a prompt. */
export const PROMPT_MAX_FRAMES = Symbol('PromptMaxFrames');

/** The paper's 32 keyframes, where the model has room for them. */
function promptMaxFrames({ promptMaxFrames }: Settings, { contextLength }: LanguageModel): number {
  return promptMaxFrames ?? (contextLength >= 4096 ? 32 : 12);
}

/** What answering a question takes, whether it is about a video or about a session. */
@Module({
  imports: [FramesModule, PerceptionModule, PoliciesModule, TrajectoriesModule],
  providers: [
    { provide: PROMPT_MAX_FRAMES, inject: [Settings, LANGUAGE_MODEL], useFactory: promptMaxFrames },
    {
      provide: QuestionRunner,
      inject: [Settings],
      useFactory: ({ maxConcurrentQuestions, requestTimeoutMs }: Settings) =>
        new QuestionRunner({ maxConcurrent: maxConcurrentQuestions, timeoutMs: requestTimeoutMs }),
    },
    {
      provide: Reasoner,
      inject: [
        Settings,
        PROMPT_MAX_FRAMES,
        PerceptionPipeline,
        LANGUAGE_MODEL,
        LOADED_POLICY,
        PolicyRepository,
        TrajectoryRepository,
      ],
      useFactory: (
        settings: Settings,
        maxFrames: number,
        perception: PerceptionPipeline,
        model: LanguageModel,
        policy: LoadedPolicy,
        policies: PolicyRepository,
        trajectories: TrajectoryRepository,
      ) =>
        new Reasoner(perception, model, () => policies.ensure(policy), trajectories, {
          maxTokens: settings.lmMaxTokens,
          topP: settings.lmTopP,
          maxFrames,
          looksForQuestion: settings.vlmQuestionPass,
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
  ],
  exports: [PROMPT_MAX_FRAMES, QuestionRunner, Reasoner, RequestReader],
})
export class QuestionsModule {}
