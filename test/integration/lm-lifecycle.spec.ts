import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GenerationRequest, SamplingParams } from '../../src/lm/language-model.js';
import { spawnDecodeWorker } from '../../src/lm/onnx/decode/decode-client.js';
import { OnnxLanguageModel, OnnxLanguageModelOptions } from '../../src/lm/onnx/onnx-language-model.js';
import { makeTinyModel, TinyModel } from '../support/tiny-model.js';

/** Ends only by length, so that a test decides how long it runs. */
function ask(
  sampling: Partial<SamplingParams> = {},
  more: Partial<GenerationRequest> = {},
): GenerationRequest {
  return {
    messages: [{ role: 'user', content: 'left or right?' }],
    sampling: { maxTokens: 12, temperature: 0, topP: 1, seed: 1, stop: [], ...sampling },
    n: 1,
    signal: new AbortController().signal,
    ...more,
  };
}

describe('the onnx language model over its life', () => {
  let tiny: TinyModel;
  let model: OnnxLanguageModel | null = null;

  const load = async (options: Partial<OnnxLanguageModelOptions> = {}): Promise<OnnxLanguageModel> =>
    (model = await OnnxLanguageModel.load({ directory: tiny.directory, ...options }));

  beforeEach(async () => {
    tiny = await makeTinyModel();
  });

  afterEach(async () => {
    await model?.close();
    model = null;
    await tiny.remove();
  });

  it('fails what a dying worker was doing, then serves again', async () => {
    const workers: Worker[] = [];
    const spawnWorker = (): Worker => {
      workers.push(spawnDecodeWorker());
      return workers[workers.length - 1];
    };
    const lm = await load({ spawnWorker });
    const before = await lm.generate(ask());
    const lost = lm.generate(ask({ maxTokens: 200 }, { n: 16, onDelta: () => void workers[0].terminate() }));
    await expect(lost).rejects.toMatchObject({ fault: 'internal', code: 'lm_worker_died', retryable: true });
    const after = await lm.generate(ask());
    expect(after.completions).toEqual(before.completions);
    expect(workers).toHaveLength(2);
  });

  it('refuses requests beyond the queue and serves those in it', async () => {
    const lm = await load({ maxConcurrentSequences: 1, maxQueued: 2 });
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, () => lm.generate(ask({ maxTokens: 40 }))),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused)
      expect(reason).toMatchObject({ fault: 'overloaded', code: 'lm_queue_full', limit: 2 });
    expect(results.filter((result) => result.status === 'fulfilled').length).toBeGreaterThanOrEqual(2);
    await expect(lm.generate(ask())).resolves.toMatchObject({ policyVersion: 'base' });
  });

  it('does not make a short request wait for a long one', async () => {
    const lm = await load();
    const order: string[] = [];
    const long = lm.generate(ask({ maxTokens: 200 }, { n: 4 })).then(() => order.push('long'));
    const short = lm.generate(ask({ maxTokens: 2 })).then(() => order.push('short'));
    await Promise.all([long, short]);
    expect(order).toEqual(['short', 'long']);
  });

  it('switches to another policy without touching requests that began', async () => {
    const other = await makeTinyModel({ seed: 2 });
    const lm = await load();
    const before = await lm.generate(ask({ maxTokens: 150 }));
    let swapped: Promise<void> | null = null;
    const begun = lm.generate(
      ask(
        { maxTokens: 150 },
        { onDelta: () => (swapped ??= lm.swap({ version: 'v2', directory: other.directory })) },
      ),
    );
    expect(await begun).toEqual(before);
    await swapped;
    const after = await lm.generate(ask({ maxTokens: 150 }));
    expect(after.policyVersion).toBe('v2');
    expect(after.completions[0].tokenIds).not.toEqual(before.completions[0].tokenIds);
    await expect(lm.swap({ version: 'v2', directory: other.directory })).rejects.toMatchObject({
      fault: 'conflict',
    });
    await other.remove();
  });

  it('keeps serving when the next policy cannot be loaded', async () => {
    const lm = await load();
    await expect(lm.swap({ version: 'v2', directory: '/nowhere' })).rejects.toMatchObject({
      code: 'model_directory_broken',
    });
    await expect(lm.generate(ask())).resolves.toMatchObject({ policyVersion: 'base' });
  });

  it('rejects what is running when it is closed, and everything after', async () => {
    const lm = await load();
    const running = lm.generate(ask({ maxTokens: 200 }, { n: 16, onDelta: () => void lm.close() }));
    await expect(running).rejects.toMatchObject({ code: 'lm_closed' });
    await expect(lm.generate(ask())).rejects.toMatchObject({ code: 'lm_closed' });
  });

  it('passes on what a listener throws and stops that request alone', async () => {
    const lm = await load();
    const broken = lm.generate(
      ask(
        { maxTokens: 100 },
        {
          onDelta: () => {
            throw new Error('The socket is gone.');
          },
        },
      ),
    );
    const [failed, fine] = await Promise.allSettled([broken, lm.generate(ask())]);
    expect(failed).toMatchObject({ status: 'rejected', reason: { message: 'The socket is gone.' } });
    expect(fine.status).toBe('fulfilled');
  });

  it('refuses a model that is too large before it reads its weights', async () => {
    const path = join(tiny.directory, 'config.json');
    const config = JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>;
    await writeFile(path, JSON.stringify({ ...config, vocab_size: 20_000_000 }));
    await expect(load()).rejects.toMatchObject({ fault: 'unsupported', code: 'model_too_large' });
  });

  it('keeps the event loop free while it decodes', async () => {
    const lm = await load();
    const before = performance.eventLoopUtilization();
    await lm.generate(ask({ maxTokens: 200 }, { n: 16 }));
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5);
  });
});
