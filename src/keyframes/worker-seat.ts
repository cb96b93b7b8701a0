import { Worker } from 'node:worker_threads';
import { cancelled, SaccadeError } from '../errors/saccade-error.js';
import { Frame } from '../frames/frame.js';
import { KeyframeDecision } from './keyframe-selector.js';
import { SelectorOptions } from './selector-options.js';
import { WorkerReply, WorkerRequest } from './worker-messages.js';

interface Pending {
  resolve(decision: KeyframeDecision): void;
  reject(error: SaccadeError): void;
}

/** One place in the pool: a worker thread that is started when first needed, and again after it has died. */
export class WorkerSeat {
  /** Selectors that live here. */
  selectorCount = 0;
  private worker: Worker | null = null;
  private readonly pending = new Map<number, Pending>();
  private lastRequestId = 0;
  private closed = false;

  constructor(
    private readonly url: URL,
    private readonly options: SelectorOptions,
    private readonly maxQueuedFrames: number,
  ) {}

  async decide(selectorId: number, frame: Frame, signal?: AbortSignal): Promise<KeyframeDecision> {
    if (signal?.aborted) throw cancelled('Keyframe selection');
    if (this.closed) throw poolClosed();
    if (this.pending.size >= this.maxQueuedFrames) throw queueFull(this.maxQueuedFrames);
    const requestId = ++this.lastRequestId;
    // The caller goes on using its pixels, so a copy travels; moving the copy saves the second one.
    const rgb = new Uint8Array(frame.rgb); // slice() of a Buffer would be no copy
    const decided = new Promise<KeyframeDecision>((resolve, reject) => {
      this.pending.set(requestId, { resolve, reject });
    });
    this.send({ kind: 'decide', requestId, selectorId, frame: { ...frame, rgb } }, [rgb.buffer]);
    if (signal === undefined) return decided;
    const abort = () => this.settle(requestId)?.reject(cancelled('Keyframe selection'));
    signal.addEventListener('abort', abort, { once: true });
    return decided.finally(() => signal.removeEventListener('abort', abort));
  }

  keepNewest(selectorId: number): void {
    this.worker?.postMessage({ kind: 'keepNewest', selectorId } satisfies WorkerRequest);
  }

  forget(selectorId: number): void {
    this.selectorCount--;
    this.worker?.postMessage({ kind: 'forget', selectorId } satisfies WorkerRequest);
  }

  async close(): Promise<void> {
    this.closed = true;
    this.failAll(poolClosed());
    await this.worker?.terminate();
    this.worker = null;
  }

  private send(request: WorkerRequest, transfer: ArrayBuffer[]): void {
    this.worker ??= this.start();
    this.worker.postMessage(request, transfer);
  }

  private start(): Worker {
    const worker = new Worker(this.url, { workerData: this.options });
    let failure: unknown;
    worker.on('message', (reply: WorkerReply) => this.receive(reply));
    worker.on('error', (error) => (failure = error));
    worker.on('exit', (exitCode) => {
      if (this.worker !== worker) return;
      this.worker = null;
      this.failAll(workerDied(exitCode, failure));
    });
    return worker;
  }

  private receive(reply: WorkerReply): void {
    // An aborted call has left; its late answer is dropped.
    const call = this.settle(reply.requestId);
    if (reply.kind === 'decided') call?.resolve(reply.decision);
    else call?.reject(decisionFailed(reply.message, reply.stack));
  }

  private settle(requestId: number): Pending | undefined {
    const call = this.pending.get(requestId);
    this.pending.delete(requestId);
    return call;
  }

  private failAll(error: SaccadeError): void {
    for (const call of this.pending.values()) call.reject(error);
    this.pending.clear();
  }
}

function poolClosed(): SaccadeError {
  return new SaccadeError(
    'cancelled',
    'keyframe_pool_closed',
    'The server is stopping and selects no more keyframes.',
  );
}

function queueFull(limit: number): SaccadeError {
  return new SaccadeError(
    'overloaded',
    'keyframe_queue_full',
    `${limit} frames already wait for keyframe selection; send frames more slowly or raise the number of workers.`,
    { limit },
  );
}

function workerDied(exitCode: number, cause: unknown): SaccadeError {
  return new SaccadeError(
    'internal',
    'keyframe_worker_died',
    `The keyframe worker ended with code ${exitCode}; a new one starts with the next frame, which becomes a keyframe.`,
    { retryable: true, cause },
  );
}

function decisionFailed(message: string, stack: string | undefined): SaccadeError {
  const cause = new Error(message);
  cause.stack = stack;
  return new SaccadeError('internal', 'keyframe_decision_failed', `Keyframe selection failed: ${message}`, {
    cause,
  });
}
