import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agreement, measureAgreement, pooledF1, pooledSelfF1 } from './agreement.js';
import { Cv2Oracle } from './cv2-oracle.js';
import { decodeRecordings } from './real-clips.js';
import { makeKnownScenes, renderClip } from './scenes/known-scenes.js';
import { renderedScenes } from './scenes/rendered-scenes.js';
import { measureTimes, median, Timing } from './timing.js';
import { judgeByTruth, TruthScore } from './truth.js';

const quick = process.argv.includes('--quick');
const folder = mkdtempSync(join(tmpdir(), 'keyframe-bench-'));
const oracle = new Cv2Oracle();

try {
  const truths: TruthScore[] = [];
  const agreements: Agreement[] = [];
  const timings: Timing[] = [];
  const shuffles = quick ? 2 : 5;
  const { clips, missing } = decodeRecordings(folder);
  for (const scene of [...(await makeKnownScenes(quick ? 16 : 50)), ...renderedScenes()]) {
    const clip = renderClip(scene, folder);
    truths.push(await judgeByTruth(scene, clip, oracle));
    agreements.push(await measureAgreement(clip, oracle, shuffles));
    if (/-0$|^samples.room$/.test(scene.name)) timings.push(await measureTimes(clip, oracle, quick ? 1 : 4));
    rmSync(clip.path);
  }
  const real: Agreement[] = [];
  for (const clip of clips) {
    real.push(await measureAgreement(clip, oracle, shuffles));
    if (/^(box|cup|vtest)@[12]/.test(clip.name))
      timings.push(await measureTimes(clip, oracle, quick ? 1 : 4));
  }
  printTables(truths, [...real, ...agreements], timings);
  if (missing.length > 0) console.log(`Not on this machine (Debian's opencv-doc): ${missing.join(', ')}`);
  console.log(JSON.stringify(summarize(truths, real, agreements, timings)));
} finally {
  oracle.close();
  rmSync(folder, { recursive: true, force: true });
}

function printTables(truths: TruthScore[], agreements: Agreement[], timings: Timing[]): void {
  console.log('Known overlaps (keyframe held to the truth)');
  console.table(
    truths.map((t) => ({
      scene: t.name,
      decisions: t.decisions,
      keeps: t.keeps,
      error: round(t.error / t.decisions),
      'error cv2': round(t.errorCv2 / t.decisions),
      wrong: t.wrong,
      'wrong cv2': t.wrongCv2,
    })),
  );
  console.log('Agreement with cv2 (keyframe held to cv2), and of cv2 with itself under shuffled matches');
  console.table(
    agreements.map((a) => ({
      clip: a.name,
      'held out': a.heldOut,
      decisions: a.decisions,
      keeps: a.keeps,
      ours: round(a.ours),
      'cv2 self': round(a.self),
      never: round(a.never),
      'only ours': a.onlyOurs,
      'only cv2': a.onlyCv2,
    })),
  );
  console.log('Milliseconds a frame, medians');
  console.table(
    timings.map((t) => ({ ...t, ours: round(t.ours), cv2: round(t.cv2), cv2SameSize: round(t.cv2SameSize) })),
  );
}

function summarize(truths: TruthScore[], real: Agreement[], scenes: Agreement[], timings: Timing[]): object {
  const all = [...real, ...scenes];
  const margin = (list: Agreement[]) => round(Math.min(...list.map((a) => a.ours - a.self)));
  return {
    agreement_margin: real.length > 0 ? margin(real) : null,
    ...(real.length === 0 && { reason: "no real clips: install Debian's opencv-doc" }),
    agreement_margin_scenes: margin(scenes),
    keep_f1: round(pooledF1(all)),
    keep_f1_cv2_self: round(pooledSelfF1(all)),
    keeps: sum(all, (a) => a.keeps),
    ...truthFigures(truths),
    held_out: {
      agreement_margin: margin(real.filter((a) => a.heldOut)),
      keep_f1: round(pooledF1(all.filter((a) => a.heldOut))),
      keep_f1_cv2_self: round(pooledSelfF1(all.filter((a) => a.heldOut))),
      keeps: sum(all, (a) => (a.heldOut ? a.keeps : 0)),
      ...truthFigures(truths.filter((t) => t.heldOut)),
    },
    ms_ours: round(median(timings.map((t) => t.ours))),
    ms_cv2: round(median(timings.map((t) => t.cv2))),
    ms_cv2_same_size: round(median(timings.map((t) => t.cv2SameSize))),
    ratio: round(median(timings.map((t) => t.ours / t.cv2))),
    ratio_same_size: round(median(timings.map((t) => t.ours / t.cv2SameSize))),
    frames: sum(all, (a) => a.decisions),
  };
}

function truthFigures(truths: TruthScore[]): object {
  const decisions = sum(truths, (t) => t.decisions);
  return {
    truth_error: round(sum(truths, (t) => t.error) / decisions),
    truth_error_cv2: round(sum(truths, (t) => t.errorCv2) / decisions),
    wrong: sum(truths, (t) => t.wrong),
    wrong_cv2: sum(truths, (t) => t.wrongCv2),
    truth_decisions: decisions,
  };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
