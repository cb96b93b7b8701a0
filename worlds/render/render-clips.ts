import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { FRAMES_PER_SECOND, LENS } from './camera-lens.js';
import { posesAlong } from './camera-path.js';
import { recordClip } from './record-clip.js';
import { sampleClips } from './sample-clips.js';
import { motionClips } from './motion-clips.js';
import { isFree } from './scene/free-space.js';
import { Studio } from './studio.js';

/** `npm run worlds:render [-- NAME…]`: draws all clips, or those whose name starts with one of the words. */
const projectRoot = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const folder = path.join(projectRoot, 'samples');
const wanted = process.argv.slice(2);
const plans = [...sampleClips(), ...motionClips()].filter(
  ({ name }) => wanted.length === 0 || wanted.some((start) => name.startsWith(start)),
);

const studio = await Studio.open(projectRoot, LENS);
try {
  for (const plan of plans) {
    const poses = posesAlong(plan.start, plan.steps, FRAMES_PER_SECOND);
    const blocked = poses.findIndex((pose) => !isFree(plan.scene, pose, 0.2));
    if (blocked >= 0) throw new Error(`${plan.name}: the camera runs into something at frame ${blocked}`);
    await mkdir(path.dirname(path.join(folder, plan.name)), { recursive: true });
    const startedMs = Date.now();
    await recordClip(studio, plan, folder);
    const { size } = await stat(path.join(folder, `${plan.name}.mp4`));
    const seconds = (Date.now() - startedMs) / 1000;
    process.stdout.write(
      `${plan.name}: ${poses.length} frames, ${Math.round(size / 1024)} KB, ${seconds.toFixed(0)} s\n`,
    );
  }
} finally {
  await studio.close();
}
