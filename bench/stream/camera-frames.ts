import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../src/config/load-settings.js';
import { packageRoot } from '../../src/config/package-root.js';
import { encodeJpeg } from '../../src/frames/encode-jpeg.js';
import { FfmpegFrameSource } from '../../src/frames/ffmpeg-frame-source.js';
import { frameSourceOptions } from '../../src/frames/frame-source-options.js';

export interface CameraFrame {
  jpeg: Buffer;
}

/** The sample clips as cameras of 640×360 would send them. */
export async function cameraWalks(fps: number): Promise<CameraFrame[][]> {
  const folder = join(packageRoot(), 'samples');
  const source = new FfmpegFrameSource(
    frameSourceOptions(loadSettings({ SACCADE_DATA_DIR: tmpdir(), SAMPLE_FPS: String(fps) })),
  );
  const walks: CameraFrame[][] = [];
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.mp4'))) {
    const walk: CameraFrame[] = [];
    const stream = await source.open(
      { kind: 'file', path: join(folder, name) },
      new AbortController().signal,
    );
    for await (const frame of stream) walk.push({ jpeg: await encodeJpeg(frame, 85) });
    walks.push(walk);
  }
  return walks;
}
