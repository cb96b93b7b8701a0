import { setTimeout as delay } from 'node:timers/promises';
import { SaccadeStream } from '../../clients/typescript/src/index.js';
import { CameraFrame } from './camera-frames.js';

export interface CameraLog {
  /** Sent → decided, of each frame after the warm-up, in milliseconds. */
  latencies: number[];
  sent: number;
  /** Dropped, refused, or never answered. */
  lost: number;
  keyframes: number;
}

export interface CameraPlan {
  sessions: number;
  fps: number;
  warmUpMs: number;
  durationMs: number;
}

/** So many cameras at once, each at its own phase and its own place in the walk. */
export async function runCameras(
  url: string,
  walks: readonly (readonly CameraFrame[])[],
  { sessions, fps, warmUpMs, durationMs }: CameraPlan,
  started: () => void,
): Promise<CameraLog> {
  const log: CameraLog = { latencies: [], sent: 0, lost: 0, keyframes: 0 };
  const streams = await Promise.all(Array.from({ length: sessions }, () => SaccadeStream.open(url)));
  const beginMs = performance.now();
  const warm = delay(warmUpMs).then(started);
  await Promise.all(
    streams.map(async (stream, camera) => {
      stream.on('keyframe', () => log.keyframes++);
      const walk = walks[camera % walks.length]!;
      const pending: Promise<void>[] = [];
      for (let i = 0; ; i++) {
        const dueMs = beginMs + ((i + camera / sessions) * 1000) / fps;
        if (dueMs > beginMs + warmUpMs + durationMs) break;
        const waitMs = dueMs - performance.now();
        if (waitMs > 0) await delay(waitMs);
        const isCounted = dueMs > beginMs + warmUpMs;
        const { jpeg } = walk[placeInWalk(i + camera * 7, walk.length)]!;
        const sentMs = performance.now();
        if (isCounted) log.sent++;
        const { outcome } = await stream.sendFrame(jpeg, { timestampUs: Math.round((i * 1e6) / fps) });
        pending.push(
          outcome.then(
            ({ status }) => {
              if (!isCounted) return;
              if (status === 'kept' || status === 'skipped') log.latencies.push(performance.now() - sentMs);
              else log.lost++;
            },
            () => void (isCounted && log.lost++),
          ),
        );
      }
      await Promise.all(pending);
    }),
  );
  await warm;
  await Promise.all(streams.map((stream) => stream.close()));
  return log;
}

/** To and fro, so that the view never jumps. */
function placeInWalk(step: number, length: number): number {
  const at = step % (2 * length - 2);
  return at < length ? at : 2 * length - 2 - at;
}
