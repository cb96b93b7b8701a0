import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFfmpeg } from '../../src/frames/ffmpeg-program.js';
import { Agreement, measureAgreement } from './agreement.js';
import { Cv2Oracle } from './cv2-oracle.js';
import { round, summarize } from './figures.js';
import { decodeRecordings } from './real-clips.js';
import { makeKnownScenes, renderClip } from './scenes/known-scenes.js';
import { renderedScenes } from './scenes/rendered-scenes.js';
import { measureTimes, Timing } from './timing.js';
import { judgeByTruth, TruthScore } from './truth.js';

/** `npm run bench:keyframes [-- --quick]`: our keyframes against known overlaps and against OpenCV's, and both in time. */
const quick = process.argv.includes('--quick');
const folder = mkdtempSync(join(tmpdir(), 'keyframe-bench-'));
const oracle = await Cv2Oracle.open();

try {
  const ffmpeg = (await findFfmpeg({ dataDir: folder })).path;
  const truths: TruthScore[] = [];
  const scenes: Agreement[] = [];
  const real: Agreement[] = [];
  const timings: Timing[] = [];
  const shuffles = quick ? 2 : 5;
  const rounds = quick ? 1 : 4;
  for (const scene of [...(await makeKnownScenes(quick ? 16 : 50)), ...renderedScenes(ffmpeg)]) {
    const clip = renderClip(scene, folder);
    truths.push(await judgeByTruth(scene, clip, oracle));
    if (oracle !== null) scenes.push(await measureAgreement(clip, oracle, shuffles));
    if (/-0$|^samples.room$/.test(scene.name)) timings.push(await measureTimes(clip, oracle, rounds));
    rmSync(clip.path);
  }
  const { clips, missing } = decodeRecordings(ffmpeg, folder);
  for (const clip of clips) {
    if (oracle !== null) real.push(await measureAgreement(clip, oracle, shuffles));
    if (/^(box|cup|vtest)@[12]/.test(clip.name)) timings.push(await measureTimes(clip, oracle, rounds));
  }
  printTables(truths, [...real, ...scenes], timings);
  const packages = [
    ...(oracle === null ? ['python3-opencv'] : []),
    ...(missing.length > 0 ? ['opencv-doc'] : []),
  ];
  console.log(JSON.stringify(summarize(truths, real, scenes, timings, packages)));
} finally {
  oracle?.close();
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
