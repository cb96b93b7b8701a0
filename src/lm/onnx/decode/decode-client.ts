import { Worker } from 'node:worker_threads';
import { cancelled, SaccadeError } from '../../../errors/saccade-error.js';
import { Generation } from '../../language-model.js';
import { workerUrl } from '../../../workers/worker-url.js';
import { DecodeOrder, DecodeReport, fromWire, GenerateOrder, PolicySource } from './decode-messages.js';

interface Loading {
  promise: Promise<{ contextLength: number }>;
  resolve: (loaded: { contextLength: number }) => void;
  reject: (error: unknown) => void;
}

interface Waiting {
  onDelta?: (index: number, text: string) => void;
  resolve: (generation: Generation) => void;
  reject: (error: unknown) => void;
}

/** Starts the thread that decodes. */
export function spawnDecodeWorker(): Worker {
  return new Worker(workerUrl(import.meta.url, './decode-worker.js'), { name: 'lm-decode' });
}

/**
 * The calling thread's end of the decode worker. A worker that dies fails what it was doing with an error that may be
 * retried, and the next request starts a new one.
 */
export class DecodeClient {
  private worker: Worker | null = null;
  private closed = false;
  private nextId = 0;
  private pendingLoads = 0;
  private readonly loadings = new Map<string, Loading>();
  private readonly waiting = new Map<number, Waiting>();

  constructor(private readonly spawn: () => Worker = spawnDecodeWorker) {}

  /** Loads a version, or waits for it where it is loaded or being loaded already. */
  load(policy: PolicySource): Promise<{ contextLength: number }> {
    const known = this.loadings.get(policy.version);
    if (known !== undefined) return known.promise;
    const worker = this.ensureWorker();
    const { promise, resolve, reject } = withResolvers<{ contextLength: number }>();
    this.loadings.set(policy.version, { promise, resolve, reject });
    this.pendingLoads++;
    this.post(worker, { type: 'load', policy });
    return promise;
  }

  /** Unloads a version once its requests are done. */
  retire(version: string): void {
    if (!this.loadings.delete(version) || this.worker === null) return;
    this.post(this.worker, { type: 'retire', version });
  }

  /** The version must have been loaded. */
  generate(
    order: Omit<GenerateOrder, 'id' | 'stream'>,
    signal: AbortSignal,
    onDelta?: (index: number, text: string) => void,
  ): Promise<Generation> {
    if (signal.aborted) return Promise.reject(cancelled('The generation'));
    const worker = this.ensureWorker();
    const id = this.nextId++;
    const { promise, resolve, reject } = withResolvers<Generation>();
    const abort = (): void => {
      this.waiting.delete(id);
      this.post(worker, { type: 'cancel', id });
      reject(cancelled('The generation'));
    };
    signal.addEventListener('abort', abort, { once: true });
    this.waiting.set(id, { onDelta, resolve, reject });
    this.post(worker, { type: 'generate', order: { ...order, id, stream: onDelta !== undefined } });
    return promise.finally(() => signal.removeEventListener('abort', abort));
  }

  async close(): Promise<void> {
    this.closed = true;
    const worker = this.worker;
    this.abandon(
      new SaccadeError('overloaded', 'lm_closed', 'The language model is shutting down. Try again later.'),
    );
    await worker?.terminate();
  }

  private ensureWorker(): Worker {
    if (this.closed)
      throw new SaccadeError(
        'overloaded',
        'lm_closed',
        'The language model is shutting down. Try again later.',
      );
    if (this.worker !== null) return this.worker;
    const worker = this.spawn();
    this.worker = worker;
    worker.on('message', (report: DecodeReport) => this.handle(report));
    worker.on('error', (error) => this.lose(worker, error));
    worker.on('exit', (code) => this.lose(worker, new Error(`The decode worker ended with code ${code}.`)));
    return worker;
  }

  private post(worker: Worker, order: DecodeOrder): void {
    worker.postMessage(order);
    this.holdProcess();
  }

  /** The worker keeps the process alive while somebody waits for it, not when idle. */
  private holdProcess(): void {
    if (this.waiting.size > 0 || this.pendingLoads > 0) this.worker?.ref();
    else this.worker?.unref();
  }

  private handle(report: DecodeReport): void {
    this.settle(report);
    this.holdProcess();
  }

  private settle(report: DecodeReport): void {
    switch (report.type) {
      case 'loaded':
        this.pendingLoads--;
        this.loadings.get(report.version)?.resolve({ contextLength: report.contextLength });
        return;
      case 'load-failed':
        this.pendingLoads--;
        this.loadings.get(report.version)?.reject(fromWire(report.error));
        this.loadings.delete(report.version);
        return;
      case 'delta':
        this.passOn(report.id, report.index, report.text);
        return;
      case 'done':
        this.waiting.get(report.id)?.resolve(report.generation);
        this.waiting.delete(report.id);
        return;
      case 'failed':
        this.waiting.get(report.id)?.reject(fromWire(report.error));
        this.waiting.delete(report.id);
    }
  }

  private passOn(id: number, index: number, text: string): void {
    const waiting = this.waiting.get(id);
    try {
      waiting?.onDelta?.(index, text);
    } catch (error) {
      this.waiting.delete(id);
      waiting?.reject(error);
      if (this.worker !== null) this.post(this.worker, { type: 'cancel', id });
    }
  }

  private lose(worker: Worker, cause: Error): void {
    if (this.worker !== worker) return;
    this.abandon(
      new SaccadeError(
        'internal',
        'lm_worker_died',
        'The language model stopped unexpectedly and is being restarted. Try again.',
        {
          retryable: true,
          cause,
        },
      ),
    );
  }

  /** Forgets the worker and fails all that waits for it. */
  private abandon(error: SaccadeError): void {
    this.worker = null;
    this.pendingLoads = 0;
    const lost = [...this.waiting.values(), ...this.loadings.values()];
    this.waiting.clear();
    this.loadings.clear();
    for (const { reject } of lost) reject(error);
  }
}

function withResolvers<T>(): {
  promise: Promise<T>;
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
} {
  let resolve: (value: T) => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<T>((res, rej) => {
    resolve = res;
    reject = rej;
  });
  // A load that nobody waits for any more must not bring the process down.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
