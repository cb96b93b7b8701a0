import { Module, OnModuleDestroy } from '@nestjs/common';
import { QuestionsModule } from '../reason/questions.module.js';
import { KeyframeController } from './keyframe.controller.js';
import { LiveModule } from './live/live.module.js';
import { LiveSessions } from './live/live-sessions.js';
import { ReplayService } from './replay.service.js';
import { SessionController } from './session.controller.js';
import { SessionRepository } from './session.repository.js';

@Module({
  imports: [LiveModule, QuestionsModule],
  controllers: [KeyframeController, SessionController],
  providers: [
    SessionRepository,
    {
      provide: ReplayService,
      inject: [LiveSessions],
      useFactory: (sessions: LiveSessions) => new ReplayService(sessions),
    },
  ],
})
export class SessionsModule implements OnModuleDestroy {
  constructor(private readonly replays: ReplayService) {}

  async onModuleDestroy(): Promise<void> {
    await this.replays.close();
  }
}
