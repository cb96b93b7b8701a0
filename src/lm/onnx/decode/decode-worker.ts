import { parentPort } from 'node:worker_threads';
import { SaccadeError } from '../../../errors/saccade-error.js';
import { DecodeJob } from './decode-engine.js';
import { DecodeOrder, DecodeReport, GenerateOrder, PolicySource, toWire } from './decode-messages.js';
import { LoadedPolicy, loadPolicy } from './loaded-policy.js';

if (parentPort === null) throw new Error('decode-worker runs in a worker thread only.');
const port = parentPort;

const policies = new Map<string, LoadedPolicy>();
const retiring = new Set<string>();
const jobs = new Map<number, { policy: LoadedPolicy; job: DecodeJob }>();
let driving = false;

function report(message: DecodeReport): void {
  port.postMessage(message);
}

async function load(source: PolicySource): Promise<void> {
  const { version } = source;
  try {
    const policy = await loadPolicy(source);
    policies.set(version, policy);
    report({ type: 'loaded', version, contextLength: policy.contextLength });
  } catch (error) {
    report({ type: 'load-failed', version, error: toWire(error) });
  }
}

function generate({ id, version, messages, sampling, n, stream }: GenerateOrder): void {
  const fail = (error: unknown): void => {
    jobs.delete(id);
    report({ type: 'failed', id, error: toWire(error) });
  };
  try {
    const policy = policies.get(version);
    if (policy === undefined)
      throw new SaccadeError('internal', 'policy_not_loaded', `Policy version ${version} is not loaded.`, {
        retryable: true,
      });
    const job: DecodeJob = {
      promptTokenIds: policy.tokenizer.encodeChat(messages),
      sampling,
      n,
      onDelta: (index, text) => {
        if (stream) report({ type: 'delta', id, index, text });
      },
      onDone: (generation) => {
        jobs.delete(id);
        report({ type: 'done', id, generation: { ...generation, policyVersion: version } });
      },
      onFailed: fail,
    };
    policy.engine.submit(job);
    jobs.set(id, { policy, job });
  } catch (error) {
    return fail(error);
  }
  void drive();
}

function cancel(id: number): void {
  const found = jobs.get(id);
  if (found === undefined) return;
  jobs.delete(id);
  found.policy.engine.cancel(found.job);
}

/** Steps every policy that has work, in turn; orders that came in are handled between steps. */
async function drive(): Promise<void> {
  if (driving) return;
  driving = true;
  while ([...policies.values()].some(({ engine }) => !engine.isIdle)) {
    for (const { engine } of policies.values()) if (!engine.isIdle) await engine.step();
    await new Promise((resolve) => setImmediate(resolve));
  }
  driving = false;
  await releaseRetired();
}

async function releaseRetired(): Promise<void> {
  for (const version of retiring) {
    const policy = policies.get(version);
    if (policy !== undefined && !policy.engine.isIdle) continue;
    retiring.delete(version);
    policies.delete(version);
    await policy?.release();
  }
}

port.on('message', (order: DecodeOrder) => {
  switch (order.type) {
    case 'load':
      return void load(order.policy);
    case 'generate':
      return generate(order.order);
    case 'cancel':
      return cancel(order.id);
    case 'retire':
      retiring.add(order.version);
      if (!driving) void releaseRetired();
  }
});
