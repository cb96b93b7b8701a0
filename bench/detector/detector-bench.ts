import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/config/package-root.js';
import { ClipTruth, readTruth } from '../../worlds/render/truth/read-truth.js';
import { ClipPerceiver } from '../egomotion/perceive-clip.js';
import { scoreView, StandingObject, ViewScore } from './score-view.js';

/** `npm run bench:detector`: what the local perceiver names in the keyframes of the rendered clips, against what stands there. */
const samples = join(packageRoot(), 'samples');
const dataDir = await mkdtemp(join(tmpdir(), 'detector-bench-'));
const perceiver = await ClipPerceiver.open(dataDir);
const total = { told: 0, real: 0, colour: 0, bearing: 0, standing: 0, found: 0 };

try {
  for (const folder of ['.', 'motion/tune', 'motion/heldout']) {
    const files = (await readdir(join(samples, folder))).filter((name) => name.endsWith('.mp4')).sort();
    for (const file of files) await scoreClip(join(samples, folder, file));
  }
} finally {
  await perceiver.close();
  await rm(dataDir, { recursive: true, force: true });
}
const { told, real, colour, bearing, standing, found } = total;
console.log(
  JSON.stringify({
    ...total,
    real_share: share(real, told),
    colour_right: share(colour, real),
    bearing_right: share(bearing, real),
    found_share: share(found, standing),
  }),
);

async function scoreClip(path: string): Promise<void> {
  const truth = readTruth(path.replace(/mp4$/, 'json'));
  for (const { timestampMs, percept } of await perceiver.perceive(path)) {
    const score = scoreView(percept.objects, standingAt(truth, timestampMs), truth.hfovDegrees);
    for (const key of Object.keys(total) as (keyof ViewScore)[]) total[key] += score[key];
  }
}

function standingAt({ objects, frames }: ClipTruth, timestampMs: number): StandingObject[] {
  const nearest = frames.reduce((best, frame) =>
    Math.abs(frame.timestampMs - timestampMs) < Math.abs(best.timestampMs - timestampMs) ? frame : best,
  );
  return nearest.visible.map(({ id, ...place }) => {
    const { name, colour } = objects.find((object) => object.id === id)!;
    return { name, colour, ...place };
  });
}

function share(part: number, whole: number): number {
  return Math.round((100 * part) / whole) / 100;
}
