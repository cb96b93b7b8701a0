import { Module, OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { encodeJpeg, shrinkToJpeg } from '../../frames/encode-jpeg.js';
import { KeyframeSelectorFactory } from '../../keyframes/keyframe-selector.js';
import { KEYFRAME_SELECTORS, KeyframesModule } from '../../keyframes/keyframes.module.js';
import { PerceptionModule } from '../../perception/perception.module.js';
import { PerceptionPipeline } from '../../perception/perception-pipeline.js';
import { QuestionRunner } from '../../reason/question-runner.js';
import { PROMPT_MAX_FRAMES, QuestionsModule } from '../../reason/questions.module.js';
import { Reasoner } from '../../reason/reasoner.js';
import { LiveSessions } from './live-sessions.js';
import { LiveSessionRepository } from './live-session.repository.js';

/** Pictures of the largest size that may wait in one session, whatever the number of frames. */
const QUEUED_PICTURES = 4;

@Module({
  imports: [KeyframesModule, PerceptionModule, QuestionsModule],
  providers: [
    LiveSessionRepository,
    {
      provide: LiveSessions,
      inject: [
        Settings,
        PROMPT_MAX_FRAMES,
        KEYFRAME_SELECTORS,
        PerceptionPipeline,
        Reasoner,
        QuestionRunner,
        LiveSessionRepository,
      ],
      useFactory: (
        settings: Settings,
        maxFrames: number,
        selectors: KeyframeSelectorFactory,
        perception: PerceptionPipeline,
        reasoner: Reasoner,
        runner: QuestionRunner,
        repository: LiveSessionRepository,
      ) =>
        new LiveSessions(selectors, perception, reasoner, runner, repository, {
          maxSessions: settings.streamMaxSessions,
          maxLifetimeMs: settings.streamMaxLifetimeMs,
          resumeMs: settings.streamResumeMs,
          questionDeadlineMs: settings.streamQuestionDeadlineMs,
          session: {
            credits: settings.streamCredits,
            queueFrames: settings.streamQueueFrames,
            queueBytes: QUEUED_PICTURES * settings.streamFrameMaxBytes,
            perceptionBacklog: settings.streamPerceptionBacklog,
            maxFrames,
            encode: (frame) => encodeJpeg(frame, settings.keyframeJpegQuality),
            shrink: shrinkToJpeg,
          },
          questions: { maxOpen: settings.streamMaxQuestions, waitSamples: settings.streamWaitSamples },
        }),
    },
  ],
  exports: [LiveSessions, LiveSessionRepository],
})
export class LiveModule implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly sessions: LiveSessions,
    private readonly repository: LiveSessionRepository,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.repository.finishAll();
  }

  async onModuleDestroy(): Promise<void> {
    await this.sessions.close();
  }
}
