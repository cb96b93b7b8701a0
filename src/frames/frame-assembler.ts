import { Writable } from 'node:stream';
import { FrameMark } from './decoder-log.js';

export interface RawFrame extends FrameMark {
  /** Interleaved 8-bit RGB, [height, width, 3]. */
  rgb: Uint8Array;
}

/**
 * Cuts the decoder's output into frames, all as large as the first mark says: FFmpeg scales later pictures to the
 * size that its output began with, after the filter that describes them.
 *
 * It accepts no more bytes while `capacity` whole frames wait, which stops the pipe and with it the decoder. Bytes
 * that come before their mark wait too: the mark is written first, but on another pipe.
 */
export class FrameAssembler extends Writable {
  private readonly marks: FrameMark[] = [];
  private readonly ready: RawFrame[] = [];
  private building: { mark: FrameMark; rgb: Uint8Array; filled: number } | null = null;
  private pending: { bytes: Uint8Array; accept: () => void } | null = null;
  private taker: ((frame: RawFrame | null) => void) | null = null;
  private over = false;
  private marksOver = false;
  private size: { width: number; height: number } | null = null;
  /** Whether a picture came in another size than the first. */
  sizeChanged = false;
  /** Marks without a whole picture and pictures without a mark, by the end of the output. */
  leftover = 0;

  constructor(private readonly capacity: number) {
    // No close event: fluent-ffmpeg takes one for a consumer that left, and kills a decoder that is just done.
    super({ emitClose: false, autoDestroy: false });
  }

  mark(mark: FrameMark): void {
    if (this.over) return;
    this.size ??= { width: mark.width, height: mark.height };
    this.sizeChanged ||= mark.width !== this.size.width || mark.height !== this.size.height;
    this.marks.push({ ...mark, ...this.size });
    this.advance();
  }

  /** No mark will follow. Bytes without one are not waited for any longer. */
  endMarks(): void {
    this.marksOver = true;
    this.advance();
  }

  /** The next frame; null after the last one. One taker at a time. */
  take(): Promise<RawFrame | null> {
    const frame = this.ready.shift();
    if (frame !== undefined) {
      this.advance();
      return Promise.resolve(frame);
    }
    if (this.over) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.taker = resolve;
    });
  }

  /** Ends the stream of frames; what the decoder still writes is thrown away, so that its pipe can close. */
  stop(): void {
    this.over = true;
    this.ready.length = 0;
    this.marks.length = 0;
    this.building = null;
    this.release();
    this.give(null);
  }

  override _write(bytes: Uint8Array, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.over) {
      done();
      return;
    }
    this.pending = { bytes, accept: () => done() };
    this.advance();
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.over) this.leftover += this.marks.length + (this.building === null ? 0 : 1);
    this.over = true;
    this.building = null;
    if (this.ready.length === 0) this.give(null);
    done();
  }

  private advance(): void {
    while (this.pending !== null && this.ready.length < this.capacity) {
      if (this.building === null) {
        const mark = this.marks.shift();
        if (mark === undefined) {
          if (this.marksOver) this.abandon();
          return;
        }
        this.building = { mark, rgb: new Uint8Array(mark.width * mark.height * 3), filled: 0 };
      }
      this.fill(this.building, this.pending);
    }
  }

  private abandon(): void {
    this.leftover++;
    this.over = true;
    this.release();
    if (this.ready.length === 0) this.give(null);
  }

  private fill(building: NonNullable<typeof this.building>, pending: NonNullable<typeof this.pending>): void {
    const part = pending.bytes.subarray(0, building.rgb.length - building.filled);
    building.rgb.set(part, building.filled);
    building.filled += part.length;
    pending.bytes = pending.bytes.subarray(part.length);
    if (building.filled === building.rgb.length) {
      this.building = null;
      this.give({ ...building.mark, rgb: building.rgb });
    }
    if (pending.bytes.length === 0) this.release();
  }

  private give(frame: RawFrame | null): void {
    const taker = this.taker;
    this.taker = null;
    if (taker !== null) taker(frame);
    else if (frame !== null) this.ready.push(frame);
  }

  private release(): void {
    const pending = this.pending;
    this.pending = null;
    pending?.accept();
  }
}
