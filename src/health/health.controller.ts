import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { DatabaseService } from '../database/database.service.js';
import type { LanguageModel } from '../lm/language-model.js';
import { LANGUAGE_MODEL } from '../lm/lm.module.js';

const PATIENCE_MS = 5000;

@ApiTags('health')
@Controller()
export class HealthController {
  constructor(
    private readonly database: DatabaseService,
    @Inject(LANGUAGE_MODEL) private readonly languageModel: LanguageModel,
  ) {}

  @Get('healthz')
  @ApiOperation({ summary: 'Whether the process runs' })
  alive(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  @ApiOperation({ summary: 'Whether a question could be answered now: database and language model' })
  async ready(): Promise<{ status: 'ready'; policy_version: string }> {
    await this.database.ping();
    await this.languageModel.check(AbortSignal.timeout(PATIENCE_MS));
    return { status: 'ready', policy_version: this.languageModel.policyVersion };
  }
}
