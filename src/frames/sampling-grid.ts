import { GRID_SLACK_MS } from './ffmpeg-arguments.js';

/**
 * Keeps the first frame, then the first at or after each multiple of the interval, and never one that goes back in
 * time. FFmpeg selects by the same rule, but starts over when the picture size changes in mid-stream.
 */
export class SamplingGrid {
  private startMs: number | null = null;
  private slot = 0;

  constructor(private readonly fps: number) {}

  takes(timestampMs: number): boolean {
    if (this.startMs === null) {
      this.startMs = timestampMs;
      return true;
    }
    const slot = Math.floor(((timestampMs - this.startMs + GRID_SLACK_MS) * this.fps) / 1000);
    if (slot <= this.slot) return false;
    this.slot = slot;
    return true;
  }
}
