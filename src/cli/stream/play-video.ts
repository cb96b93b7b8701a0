import { setTimeout as delay } from 'node:timers/promises';
import { SaccadeStream } from '../../../clients/typescript/src/index.js';
import { encodeJpeg } from '../../frames/encode-jpeg.js';
import { FrameStream } from '../../frames/frame-source.js';

const JPEG_QUALITY = 85;

/**
 * Sends a video's frames at their times, as a camera would.
 * @param rate times real time
 * @param reached is called before each frame with its time
 */
export async function playVideo(
  video: FrameStream,
  stream: SaccadeStream,
  rate: number,
  reached: (timestampMs: number) => void,
): Promise<void> {
  const startedMs = performance.now();
  const outcomes: Promise<unknown>[] = [];
  for await (const frame of video) {
    const waitMs = startedMs + frame.timestampMs / rate - performance.now();
    if (waitMs > 0) await delay(waitMs);
    reached(frame.timestampMs);
    const jpeg = await encodeJpeg(frame, JPEG_QUALITY);
    const { outcome } = await stream.sendFrame(jpeg, { timestampUs: Math.round(frame.timestampMs * 1000) });
    outcomes.push(outcome);
  }
  await Promise.all(outcomes);
}
