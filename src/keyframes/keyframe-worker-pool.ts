import { SaccadeError } from '../errors/saccade-error.js';
import { Frame } from '../frames/frame.js';
import { workerUrl } from '../workers/worker-url.js';
import { KeyframeDecision, KeyframeSelector, KeyframeSelectorFactory } from './keyframe-selector.js';
import { resolveSelectorOptions, SelectorOptions } from './selector-options.js';
import { WorkerSeat } from './worker-seat.js';

export interface KeyframeWorkerPoolOptions {
  /** Worker threads. */
  workers: number;
  selector?: Partial<SelectorOptions>;
  /** Frames that may wait for one worker before further ones are refused. */
  maxQueuedFrames?: number;
  /** Where the worker's code is; for tests of its failures. */
  workerUrl?: URL;
}

const DEFAULT_MAX_QUEUED_FRAMES = 64;

/**
 * Selectors over a fixed number of worker threads. A selector's state lives in one worker for its whole life, so no
 * features travel between threads.
 */
export class KeyframeWorkerPool implements KeyframeSelectorFactory {
  private readonly seats: WorkerSeat[];
  private lastSelectorId = 0;

  constructor(options: KeyframeWorkerPoolOptions) {
    if (!Number.isInteger(options.workers) || options.workers < 1) {
      const message = `The number of keyframe workers is ${options.workers}; give a whole number from 1.`;
      throw new SaccadeError('input', 'keyframe_option_out_of_range', message, {
        field: 'workers',
        limit: 1,
      });
    }
    const selector = resolveSelectorOptions(options.selector);
    const url = options.workerUrl ?? workerUrl(import.meta.url, './keyframe-worker.js');
    const maxQueuedFrames = options.maxQueuedFrames ?? DEFAULT_MAX_QUEUED_FRAMES;
    this.seats = Array.from(
      { length: options.workers },
      () => new WorkerSeat(url, selector, maxQueuedFrames),
    );
  }

  create(): KeyframeSelector {
    const seat = this.seats.reduce((least, other) =>
      other.selectorCount < least.selectorCount ? other : least,
    );
    seat.selectorCount++;
    return new PooledSelector(seat, ++this.lastSelectorId);
  }

  async close(): Promise<void> {
    await Promise.all(this.seats.map((seat) => seat.close()));
  }
}

class PooledSelector implements KeyframeSelector {
  private closed = false;

  constructor(
    private readonly seat: WorkerSeat,
    private readonly selectorId: number,
  ) {}

  async decide(frame: Frame, signal?: AbortSignal): Promise<KeyframeDecision> {
    requirePixels(frame);
    if (this.closed) {
      throw new SaccadeError(
        'internal',
        'keyframe_selector_closed',
        'This keyframe selector is closed; create another.',
      );
    }
    return this.seat.decide(this.selectorId, frame, signal);
  }

  keepNewest(): void {
    if (!this.closed) this.seat.keepNewest(this.selectorId);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.seat.forget(this.selectorId);
  }
}

function requirePixels(frame: Frame): void {
  const { width, height, rgb } = frame;
  if (width > 0 && height > 0 && rgb.length === width * height * 3) return;
  throw new SaccadeError(
    'internal',
    'frame_size_mismatch',
    `Frame ${frame.index} holds ${rgb.length} bytes; ${width}×${height} RGB needs ${width * height * 3}.`,
    { field: 'rgb', limit: width * height * 3 },
  );
}
