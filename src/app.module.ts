import { DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { SettingsModule } from './config/settings.module.js';
import { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { HealthModule } from './health/health.module.js';
import { ProblemFilter } from './http/problem.filter.js';
import { LmModule } from './lm/lm.module.js';
import { LoggingModule } from './observability/logging.module.js';
import { ReasonModule } from './reason/reason.module.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { StreamModule } from './stream/stream.module.js';
import { TrajectoriesModule } from './trajectories/trajectories.module.js';

/** The api process: everything that answers requests. */
@Module({})
export class AppModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: AppModule,
      imports: [
        SettingsModule.with(settings),
        LoggingModule,
        DatabaseModule,
        LmModule,
        HealthModule,
        ReasonModule,
        SessionsModule,
        StreamModule,
        TrajectoriesModule,
      ],
      providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
    };
  }
}
