import { DynamicModule, Global, Module } from '@nestjs/common';
import { Settings } from './settings.js';

/** Gives every module the settings that were read and validated once at start. */
@Global()
@Module({})
export class SettingsModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: SettingsModule,
      providers: [{ provide: Settings, useValue: settings }],
      exports: [Settings],
    };
  }
}
