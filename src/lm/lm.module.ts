import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Global, Inject, Module, OnModuleDestroy } from '@nestjs/common';
import { packageRoot } from '../config/package-root.js';
import { Settings } from '../config/settings.js';
import type { LanguageModel } from './language-model.js';
import { LoadedPolicy } from './loaded-policy.js';
import { OnnxLanguageModel } from './onnx/onnx-language-model.js';
import { OpenAiLanguageModel } from './openai/openai-language-model.js';

export const LANGUAGE_MODEL = Symbol('LanguageModel');
export const LOADED_POLICY = Symbol('LoadedPolicy');

async function identifyPolicy({ lmBackend, lmModel }: Settings): Promise<LoadedPolicy> {
  if (lmBackend === 'openai') return { name: lmModel, location: lmModel, sha256: null };
  const location = modelDirectory(lmModel);
  const hash = createHash('sha256');
  await pipeline(createReadStream(join(location, 'model.safetensors')), hash).catch(
    (error: NodeJS.ErrnoException) => {
      // A model in several files is known by its index; a missing one is reported when it is loaded.
      if (error.code !== 'ENOENT') throw error;
    },
  );
  const sha256 = hash.digest('hex');
  return { name: `${basename(location)}@${sha256.slice(0, 8)}`, location, sha256 };
}

/** A relative folder is looked up where the server starts, then among the shipped models. */
function modelDirectory(lmModel: string): string {
  const here = resolve(lmModel);
  return existsSync(here) ? here : resolve(packageRoot(), lmModel);
}

async function loadModel(settings: Settings, policy: LoadedPolicy): Promise<LanguageModel> {
  if (settings.lmBackend === 'openai') {
    return new OpenAiLanguageModel({
      baseUrl: settings.lmBaseUrl!,
      apiKey: settings.lmApiKey,
      model: settings.lmModel,
      contextLength: settings.lmContextLength,
      timeoutMs: settings.requestTimeoutMs,
      maxConcurrent: settings.lmConcurrency,
    });
  }
  return OnnxLanguageModel.load({
    directory: policy.location,
    policyVersion: policy.name,
    threads: settings.lmThreads,
    executionProvider: settings.lmDevice,
    maxConcurrentSequences: settings.lmConcurrency,
  });
}

@Global()
@Module({
  providers: [
    { provide: LOADED_POLICY, inject: [Settings], useFactory: identifyPolicy },
    { provide: LANGUAGE_MODEL, inject: [Settings, LOADED_POLICY], useFactory: loadModel },
  ],
  exports: [LANGUAGE_MODEL, LOADED_POLICY],
})
export class LmModule implements OnModuleDestroy {
  constructor(@Inject(LANGUAGE_MODEL) private readonly languageModel: LanguageModel) {}

  async onModuleDestroy(): Promise<void> {
    await this.languageModel.close();
  }
}
