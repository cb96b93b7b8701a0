import { Size } from '../../frames/scaled-size.js';

/** A frame as it comes in: not yet decoded. */
export interface IncomingFrame {
  /** Rises from frame to frame. */
  sequence: number;
  /** On the camera's clock. */
  timestampUs: number;
  /** Dropped last. */
  isKey: boolean;
  /** Of the picture as it waits. */
  byteLength: number;
  /** @throws SaccadeError when it is no picture */
  decode: () => Promise<Size & { rgb: Uint8Array }>;
}

type Item = { frame: IncomingFrame } | { mark: () => Promise<void> };

/**
 * Frames that wait to be looked at, and marks between them. It never holds more than so many frames and bytes: the
 * oldest that are no key frames are dropped, then the oldest.
 */
export class FrameQueue {
  private readonly items: Item[] = [];
  private frames = 0;
  private bytes = 0;
  private wake: (() => void) | null = null;
  private waiting: { below: number; resolve: () => void }[] = [];

  constructor(private readonly limits: { frames: number; bytes: number }) {}

  get frameCount(): number {
    return this.frames;
  }

  /** @returns the frames that had to go for it */
  push(frame: IncomingFrame): IncomingFrame[] {
    this.items.push({ frame });
    this.frames++;
    this.bytes += frame.byteLength;
    this.wake?.();
    const dropped: IncomingFrame[] = [];
    while (this.frames > 1 && (this.frames > this.limits.frames || this.bytes > this.limits.bytes))
      dropped.push(this.drop());
    return dropped;
  }

  /** Resolves when fewer frames wait. */
  below(count: number): Promise<void> {
    if (this.frames < count) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push({ below: count, resolve }));
  }

  /** Lets go whoever waits for room. */
  release(): void {
    this.waiting.splice(0).forEach(({ resolve }) => resolve());
  }

  /** A mark is reached once every frame before it has been taken and looked at. */
  mark(run: () => Promise<void>): void {
    this.items.push({ mark: run });
    this.wake?.();
  }

  /** The next item; waits for one. One taker at a time. */
  async take(): Promise<Item> {
    while (this.items.length === 0) await new Promise<void>((resolve) => (this.wake = resolve));
    this.wake = null;
    const item = this.items.shift()!;
    if ('frame' in item) this.left(item.frame);
    return item;
  }

  private drop(): IncomingFrame {
    const isFrame = (item: Item) => 'frame' in item;
    const ordinary = this.items.findIndex((item) => 'frame' in item && !item.frame.isKey);
    const at = ordinary >= 0 ? ordinary : this.items.findIndex(isFrame);
    const [dropped] = this.items.splice(at, 1) as [{ frame: IncomingFrame }];
    this.left(dropped.frame);
    return dropped.frame;
  }

  private left({ byteLength }: IncomingFrame): void {
    this.frames--;
    this.bytes -= byteLength;
    const ready = this.waiting.filter(({ below }) => this.frames < below);
    this.waiting = this.waiting.filter((waiter) => !ready.includes(waiter));
    ready.forEach(({ resolve }) => resolve());
  }
}
