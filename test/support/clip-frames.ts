import { fileURLToPath } from 'node:url';
import { tmpdir } from 'node:os';
import { loadSettings } from '../../src/config/load-settings.js';
import { encodeJpeg } from '../../src/frames/encode-jpeg.js';
import { FfmpegFrameSource } from '../../src/frames/ffmpeg-frame-source.js';
import { frameSourceOptions } from '../../src/frames/frame-source-options.js';

export interface CameraFrame {
  jpeg: Buffer;
  timestampUs: number;
}

/** A sample clip as a camera would send it. */
export async function clipFrames(name: 'room' | 'street' | 'tour' = 'room', fps = 2): Promise<CameraFrame[]> {
  const settings = loadSettings({ SACCADE_DATA_DIR: tmpdir(), SAMPLE_FPS: String(fps) });
  const source = new FfmpegFrameSource(frameSourceOptions(settings));
  const path = fileURLToPath(new URL(`../../samples/${name}.mp4`, import.meta.url));
  const frames: CameraFrame[] = [];
  for await (const frame of await source.open({ kind: 'file', path }, new AbortController().signal))
    frames.push({ jpeg: await encodeJpeg(frame, 85), timestampUs: Math.round(frame.timestampMs * 1000) });
  return frames;
}
