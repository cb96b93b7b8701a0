import { SaccadeError } from '../../errors/saccade-error.js';

/** Where a session is on the client's count and clock. */
export interface FramePosition {
  sequence: number;
  timestampUs: number;
}

/** Longest session that fits the milliseconds of the database. */
const MAX_TIMESTAMP_MS = 2_147_483_647;
/** Sequences that are remembered, to tell a repeated frame from one out of order. */
const REMEMBERED = 256;

/** Checks that frames come in order of sequence and time, and counts time from the first. */
export class FrameOrder {
  private last: FramePosition | null;
  private readonly seen = new Set<number>();

  /** @param resumed where a session goes on that was begun before */
  constructor(
    private startUs: number | null = null,
    resumed: FramePosition | null = null,
  ) {
    this.last = resumed;
    if (resumed !== null) this.seen.add(resumed.sequence);
  }

  /** The sequence from which on frames are taken. */
  get nextSequence(): number {
    return this.last === null ? 0 : this.last.sequence + 1;
  }

  /** Time of the newest frame. */
  get newestMs(): number {
    return this.last === null ? 0 : this.timestampMs(this.last.timestampUs);
  }

  /** Capture time of the first frame; null before it. */
  get startTimestampUs(): number | null {
    return this.startUs;
  }

  /** Milliseconds from the first frame. */
  timestampMs(timestampUs: number): number {
    return (timestampUs - (this.startUs ?? timestampUs)) / 1000;
  }

  /** @throws SaccadeError when the frame cannot come after those before it */
  admit({ sequence, timestampUs }: FramePosition): void {
    if (this.last !== null && sequence <= this.last.sequence) {
      throw this.seen.has(sequence)
        ? refused('frame_repeated', 'sequence', `Frame ${sequence} was sent before.`)
        : refused(
            'frame_out_of_order',
            'sequence',
            `Frame ${sequence} came after frame ${this.last.sequence}. Send frames in rising sequence; leave out those that are late.`,
          );
    }
    if (this.last !== null && timestampUs <= this.last.timestampUs) {
      throw refused(
        'frame_time_backwards',
        'timestamp',
        `Frame ${sequence} has time ${timestampUs} µs, which is not after the frame before it (${this.last.timestampUs} µs). Use a clock that does not jump.`,
      );
    }
    if (this.timestampMs(timestampUs) > MAX_TIMESTAMP_MS)
      throw refused(
        'frame_time_too_late',
        'timestamp',
        `Frame ${sequence} is more than 24 days after the first. Open a new session.`,
      );
    this.startUs ??= timestampUs;
    this.last = { sequence, timestampUs };
    this.seen.add(sequence);
    if (this.seen.size > REMEMBERED) this.seen.delete(this.seen.values().next().value!);
  }
}

function refused(code: string, field: string, message: string): SaccadeError {
  return new SaccadeError('input', code, message, { field });
}
