import { Worker } from 'node:worker_threads';
import { cancelled, SaccadeError } from '../../errors/saccade-error.js';
import { workerUrl } from '../../workers/worker-url.js';
import { Detection } from './peaks.js';

export interface DetectorSource {
  path: string;
  minScore: number;
}

export interface DetectRequest {
  id: number;
  /** [height, width, 3] */
  rgb: Uint8Array;
  width: number;
  height: number;
}

export type DetectReply = { id: number; detections: Detection[] } | { id: number; problem: string };

interface Waiting {
  resolve: (detections: Detection[]) => void;
  reject: (error: Error) => void;
}

const MAX_QUEUED = 64;

/** The detector in a worker thread. A worker that dies fails what it was given; the next picture starts another. */
export class DetectorClient {
  private worker: Worker | null = null;
  private nextId = 0;
  private readonly waiting = new Map<number, Waiting>();

  constructor(
    private readonly source: DetectorSource,
    private readonly maxQueued = MAX_QUEUED,
  ) {}

  /** @throws SaccadeError overloaded when too many pictures wait, internal when the detector fails */
  async detect(picture: Omit<DetectRequest, 'id'>, signal: AbortSignal): Promise<Detection[]> {
    if (signal.aborted) throw cancelled('Detecting objects');
    if (this.waiting.size >= this.maxQueued) {
      throw new SaccadeError(
        'overloaded',
        'detector_busy',
        `${this.maxQueued} pictures wait for the detector already. Try again in a moment.`,
        { limit: this.maxQueued },
      );
    }
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      // The worker finishes a picture it has begun; nobody waits for it any more.
      const onAbort = () => this.settle(id)?.reject(cancelled('Detecting objects'));
      signal.addEventListener('abort', onAbort, { once: true });
      const done = () => signal.removeEventListener('abort', onAbort);
      this.waiting.set(id, {
        resolve: (detections) => (done(), resolve(detections)),
        reject: (error) => (done(), reject(error)),
      });
      this.running().postMessage({ id, ...picture } satisfies DetectRequest);
    });
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private running(): Worker {
    if (this.worker !== null) return this.worker;
    const worker = new Worker(workerUrl(import.meta.url, './detector-worker.js'), {
      workerData: this.source,
    });
    worker.unref();
    worker.on('message', (reply: DetectReply) => {
      const waiting = this.settle(reply.id);
      if ('detections' in reply) waiting?.resolve(reply.detections);
      else waiting?.reject(failed(reply.problem));
    });
    worker.on('error', (error) => this.failAll(worker, error));
    worker.on('exit', () => this.failAll(worker, new Error('its worker ended')));
    this.worker = worker;
    return worker;
  }

  private settle(id: number): Waiting | undefined {
    const waiting = this.waiting.get(id);
    this.waiting.delete(id);
    return waiting;
  }

  private failAll(worker: Worker, error: Error): void {
    if (this.worker !== worker) return;
    this.worker = null;
    for (const id of [...this.waiting.keys()]) this.settle(id)?.reject(failed(error.message));
  }
}

function failed(problem: string): SaccadeError {
  return new SaccadeError(
    'internal',
    'detector_failed',
    `The object detector failed: ${problem.replace(/\.$/, '')}.`,
  );
}
