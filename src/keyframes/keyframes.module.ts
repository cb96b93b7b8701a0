import { Inject, Module, OnModuleDestroy } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import type { KeyframeSelectorFactory } from './keyframe-selector.js';
import { KeyframeWorkerPool } from './keyframe-worker-pool.js';
import { DEFAULT_SELECTOR_OPTIONS } from './selector-options.js';

export const KEYFRAME_SELECTORS = Symbol('KeyframeSelectorFactory');

@Module({
  providers: [
    {
      provide: KEYFRAME_SELECTORS,
      inject: [Settings],
      useFactory: (settings: Settings) =>
        new KeyframeWorkerPool({
          workers: settings.keyframeWorkers,
          // Each session and each question has one frame here at a time.
          maxQueuedFrames: settings.streamMaxSessions + settings.maxConcurrentQuestions,
          selector: {
            ...DEFAULT_SELECTOR_OPTIONS,
            overlapThreshold: settings.keyframeOverlapThreshold,
            maxGapMs: settings.keyframeMaxGapMs,
            hfovDeg: settings.cameraHfovDeg,
          },
        }),
    },
  ],
  exports: [KEYFRAME_SELECTORS],
})
export class KeyframesModule implements OnModuleDestroy {
  constructor(@Inject(KEYFRAME_SELECTORS) private readonly selectors: KeyframeSelectorFactory) {}

  async onModuleDestroy(): Promise<void> {
    await this.selectors.close();
  }
}
