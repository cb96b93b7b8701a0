import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../../src/config/package-root.js';
import { readTruth } from '../../../worlds/render/truth/read-truth.js';
import { Scene } from './scene.js';

const FRAMES_PER_SECOND = 1;

/**
 * The rendered sample clips at one frame a second, with overlaps worked out from their depth.
 *
 * @param ffmpeg path of the program
 */
export function renderedScenes(ffmpeg: string): Scene[] {
  const samples = join(packageRoot(), 'samples');
  return ['.', 'motion/tune', 'motion/heldout'].flatMap((folder) =>
    readdirSync(join(samples, folder))
      .filter((file) => file.endsWith('.mp4'))
      .sort()
      .map((file) => renderedScene(ffmpeg, join(samples, folder, file), folder !== 'motion/tune')),
  );
}

function renderedScene(ffmpeg: string, path: string, heldOut: boolean): Scene {
  const { width, height, overlap } = readTruth(path.replace(/mp4$/, 'json'));
  const { rows, timestampsMs } = overlap.find(({ fps }) => fps === FRAMES_PER_SECOND)!;
  const size = width * height * 3;
  let pixels: Buffer | null = null;
  const decode = () =>
    (pixels ??= execFileSync(
      ffmpeg,
      [
        '-v',
        'error',
        '-i',
        path,
        '-vf',
        `fps=${FRAMES_PER_SECOND}:round=near:start_time=0`,
        '-f',
        'rawvideo',
        '-pix_fmt',
        'rgb24',
        '-',
      ],
      { maxBuffer: size * (timestampsMs.length + 2) },
    ));
  return {
    name: path.split('/').slice(-2).join('/').replace('.mp4', ''),
    heldOut,
    width,
    height,
    frameCount: Math.min(timestampsMs.length, Math.floor(decode().length / size)),
    render: (index) => decode().subarray(index * size, (index + 1) * size),
    trueOverlap: (current, earlier) => rows[current]![earlier]!,
  };
}
