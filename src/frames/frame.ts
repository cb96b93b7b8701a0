/** One decoded picture of the video, as sampled. */
export interface Frame {
  /** Position among the sampled frames, from 0. */
  index: number;
  /** Presentation time from the start of the video or session, in milliseconds. */
  timestampMs: number;
  width: number;
  height: number;
  /** Interleaved 8-bit RGB, [height, width, 3]. */
  rgb: Uint8Array;
}
