import { FrameHeader } from './frame-message.js';

export interface BufferedFrame extends FrameHeader {
  picture: Uint8Array;
}

/**
 * Frames that the server may ask for again: those since the last percept, which is where a session goes on after the
 * server was started anew. Bounded by bytes; the oldest go first.
 */
export class ReplayBuffer {
  private frames: BufferedFrame[] = [];
  private bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get byteLength(): number {
    return this.bytes;
  }

  add(frame: BufferedFrame): void {
    this.frames.push(frame);
    this.bytes += frame.picture.length;
    while (this.bytes > this.maxBytes && this.frames.length > 1)
      this.bytes -= this.frames.shift()!.picture.length;
  }

  /** Frames up to this sequence are stored by the server. */
  forget(sequence: number): void {
    const kept = this.frames.findIndex((frame) => frame.sequence > sequence);
    const gone = kept < 0 ? this.frames : this.frames.slice(0, kept);
    for (const { picture } of gone) this.bytes -= picture.length;
    this.frames = kept < 0 ? [] : this.frames.slice(kept);
  }

  from(sequence: number): BufferedFrame[] {
    return this.frames.filter((frame) => frame.sequence >= sequence);
  }
}
