import { Inject, Module, OnModuleDestroy } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import { ensureDetector } from './local/detector-file.js';
import { LocalPerceiver } from './local/local-perceiver.js';
import { VlmPerceiver } from './openai/vlm-perceiver.js';
import type { Perceiver } from './perceiver.js';
import { PerceptRepository } from './percept.repository.js';
import { PerceptionPipeline } from './perception-pipeline.js';

const PERCEIVER = Symbol('Perceiver');

async function createPerceiver(settings: Settings): Promise<Perceiver> {
  const { cameraHfovDeg: hfovDeg } = settings;
  // All keyframes of all questions that are let in may wait for their second look at once, and those of all sessions.
  const maxQueued =
    settings.maxConcurrentQuestions * settings.keyframeMax +
    settings.streamMaxSessions * settings.streamPerceptionBacklog;
  if (settings.perceiver === 'openai') {
    return new VlmPerceiver({
      baseUrl: settings.vlmBaseUrl!,
      model: settings.vlmModel,
      apiKey: settings.vlmApiKey,
      hfovDeg,
      timeoutMs: settings.perceptionTimeoutMs,
      maxConcurrent: settings.perceptionConcurrency,
      maxQueued,
    });
  }
  const detectorPath = settings.detectorModel ?? (await ensureDetector(settings.saccadeDataDir));
  return LocalPerceiver.load({ detectorPath, minScore: settings.detectorMinScore, hfovDeg, maxQueued });
}

@Module({
  providers: [
    PerceptRepository,
    { provide: PERCEIVER, inject: [Settings], useFactory: createPerceiver },
    {
      provide: PerceptionPipeline,
      inject: [PERCEIVER, PerceptRepository],
      useFactory: (perceiver: Perceiver, cache: PerceptRepository) =>
        new PerceptionPipeline(perceiver, cache),
    },
  ],
  exports: [PerceptionPipeline],
})
export class PerceptionModule implements OnModuleDestroy {
  constructor(@Inject(PERCEIVER) private readonly perceiver: Perceiver) {}

  async onModuleDestroy(): Promise<void> {
    await this.perceiver.close();
  }
}
