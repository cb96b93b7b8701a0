import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../../src/config/package-root.js';
import { wordActions } from '../../src/perception/wording.js';
import { readTruth } from '../../worlds/render/truth/read-truth.js';
import { ClipPerceiver } from './perceive-clip.js';
import { PairScore, scorePair, Tally } from './score-pair.js';
import { trueActionsBetween } from './true-actions.js';

/** `npm run bench:egomotion [-- --verbose]`: what the local perceiver tells of the camera's movement, against the truth. */
const SPLITS = ['tune', 'heldout'] as const;
const folder = join(packageRoot(), 'samples', 'motion');
const verbose = process.argv.includes('--verbose');
const dataDir = await mkdtemp(join(tmpdir(), 'egomotion-bench-'));
const perceiver = await ClipPerceiver.open(dataDir);
const totals = { tune: noScore(), heldout: noScore() };
let pairs = 0;

try {
  for (const split of SPLITS) {
    for (const file of (await readdir(join(folder, split))).filter((name) => name.endsWith('.mp4')).sort()) {
      const score = await scoreClip(join(folder, split, file));
      add(totals[split], score);
      console.log(`${split} ${file}: ${describe(score)}`);
    }
  }
} finally {
  await perceiver.close();
  await rm(dataDir, { recursive: true, force: true });
}
for (const split of SPLITS) console.log(`${split}: ${describe(totals[split])}`);
console.log(
  JSON.stringify({
    pairs,
    ...figures(totals.tune, ''),
    ...figures(totals.heldout, 'heldout_'),
  }),
);

async function scoreClip(path: string): Promise<PairScore> {
  const truth = readTruth(path.replace(/mp4$/, 'json'));
  const keyframes = await perceiver.perceive(path);
  const total = noScore();
  for (const [i, keyframe] of keyframes.entries()) {
    if (i === 0) continue;
    const fromMs = keyframes[i - 1]!.timestampMs;
    const happened = trueActionsBetween(truth.actions, fromMs, keyframe.timestampMs);
    const score = scorePair(keyframe.percept.actions, happened);
    add(total, score);
    pairs++;
    if (!verbose) continue;
    const real = happened.map(({ action, degrees, durationMs }) =>
      degrees === null ? `${action} ${durationMs / 1000} s` : `${action} ${degrees.toFixed(0)}`,
    );
    const told = wordActions(keyframe.percept.actions);
    const flawless = Object.values(score).every((t: Tally) => t.right === t.happened && t.invented === 0);
    console.log(
      `  ${flawless ? ' ' : '✗'} ${fromMs / 1000}–${keyframe.timestampMs / 1000} s told: ${told} | real: ${real.join(', ')}`,
    );
  }
  return total;
}

/** Shares are of all that had to be told and all that was invented: making things up costs as much as missing them. */
function figures({ turns, tilts, moves }: PairScore, prefix: string): Record<string, number | null> {
  return {
    [`${prefix}turns_right`]: shareRight(turns),
    [`${prefix}moves_right`]: shareRight(moves),
    [`${prefix}tilts_right`]: shareRight(tilts),
    [`${prefix}turns`]: turns.happened,
    [`${prefix}moves`]: moves.happened,
    [`${prefix}tilts`]: tilts.happened,
    [`${prefix}turns_invented`]: turns.invented,
    [`${prefix}moves_invented`]: moves.invented,
    [`${prefix}tilts_invented`]: tilts.invented,
  };
}

function shareRight({ happened, right, invented }: Tally): number | null {
  const all = happened + invented;
  return all === 0 ? null : Math.round((right / all) * 1000) / 1000;
}

function describe(score: PairScore): string {
  return Object.entries(score)
    .map(
      ([kind, { happened, right, invented }]: [string, Tally]) =>
        `${kind} ${right} of ${happened}, ${invented} invented`,
    )
    .join('; ');
}

function add(total: PairScore, score: PairScore): void {
  for (const kind of ['turns', 'tilts', 'moves'] as const) {
    total[kind].happened += score[kind].happened;
    total[kind].right += score[kind].right;
    total[kind].invented += score[kind].invented;
  }
}

function noScore(): PairScore {
  const none = (): Tally => ({ happened: 0, right: 0, invented: 0 });
  return { turns: none(), tilts: none(), moves: none() };
}
