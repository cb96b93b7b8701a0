import { Frame } from './frame.js';

/** What is known of a video once it has been opened. */
export interface VideoInfo {
  /** Length in milliseconds; null when the container does not say. */
  durationMs: number | null;
  /** Displayed size in pixels, after rotation. */
  width: number;
  height: number;
  codec: string;
}

/**
 * A bounded, ordered stream of frames with back-pressure: the decoder waits while the consumer is busy.
 * Breaking out of the loop, or aborting the signal it was opened with, stops the decoder and frees everything.
 */
export interface FrameStream extends AsyncIterable<Frame> {
  readonly info: VideoInfo;
  /** What was wrong with the input but did not stop the decoding; complete once the iteration has ended. */
  readonly warnings: readonly string[];
}

/** Where a video comes from. */
export type VideoInput = { kind: 'file'; path: string } | { kind: 'url'; url: string };

/** Port: opens a video as a stream of frames at the configured sampling rate. */
export interface FrameSource {
  open(input: VideoInput, signal: AbortSignal): Promise<FrameStream>;
}
