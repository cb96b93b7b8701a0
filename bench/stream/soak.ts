import { setTimeout as delay } from 'node:timers/promises';
import { seededRandom } from '../../src/keyframes/random.js';
import { cameraWalks } from './camera-frames.js';
import { ChurningCamera, ChurnCounts } from './churning-camera.js';
import { startFakeModels } from './fake-models.js';
import { MeasuredServer } from './measured-server.js';
import { ServerFigures } from './server-process.js';

/**
 * `npm run verify:soak [-- --minutes 30]`: cameras that connect, stream, ask, drop, resume, and leave, for half an hour.
 * Memory and handles must stay flat, and every session must end with each of its frames seen once.
 */
const CAMERAS = 12;
const FPS = 2;
const SAMPLE_MS = 5000;
const at = process.argv.indexOf('--minutes');
const minutes = at > 0 ? Number(process.argv[at + 1]) : 30;
const warmUpMs = Math.min(120_000, (minutes * 60_000) / 4);

const walks = await cameraWalks(FPS);
const models = await startFakeModels();
const server = await MeasuredServer.start({
  ...models.variables,
  STREAM_RESUME_MS: '2000',
  STREAM_PING_MS: '1000',
});
const counts: ChurnCounts = {
  sessions: 0,
  frames: 0,
  resumes: 0,
  answers: 0,
  left: 0,
  deleted: 0,
  problems: [],
};

/** Runs all cameras for so long, then until each has ended its session, and a little more. */
async function churn(ms: number, seed: number): Promise<void> {
  const untilMs = performance.now() + ms;
  await Promise.all(
    Array.from({ length: CAMERAS }, (_, i) =>
      new ChurningCamera(server.url, walks[i % walks.length]!, FPS, seededRandom(seed + i), counts).run(
        untilMs,
      ),
    ),
  );
  await delay(6000); // sessions that were left have ended, idle connections are closed
}

try {
  await churn(warmUpMs, 1);
  const before = await server.figures();
  console.log(`warm after ${warmUpMs / 1000} s: ${told(before)}`);
  const samples: { hours: number; mb: number }[] = [];
  const startMs = performance.now();
  const sampler = setInterval(() => {
    void server.figures().then(({ rssMb }) => {
      samples.push({ hours: (performance.now() - startMs) / 3_600_000, mb: rssMb });
      if (samples.length % 12 === 0)
        console.log(
          `${Math.round((performance.now() - startMs) / 60_000)} min  ${Math.round(rssMb)} MB  ${counts.sessions} sessions, ${counts.resumes} resumes, ${counts.answers} answers, ${counts.problems.length} problems`,
        );
    });
  }, SAMPLE_MS);
  await churn(minutes * 60_000 - warmUpMs, 1000);
  clearInterval(sampler);
  const after = await server.figures();
  console.log(`at the end: ${told(after)}`);
  for (const problem of counts.problems.slice(0, 20)) console.log(`problem: ${problem}`);
  console.log(
    JSON.stringify({
      minutes,
      sessions_total: counts.sessions,
      frames_total: counts.frames,
      resumes: counts.resumes,
      answers: counts.answers,
      left: counts.left,
      deleted: counts.deleted,
      rss_mb_start: Math.round(before.rssMb),
      rss_mb_end: Math.round(after.rssMb),
      rss_slope_mb_per_h: Math.round(slope(samples)),
      // The first half also holds what caches and pools fill up once.
      rss_slope_second_half_mb_per_h: Math.round(slope(samples.slice(samples.length >> 1))),
      handles_start: before.handles,
      handles_end: after.handles,
      errors: counts.problems.length,
    }),
  );
  process.exitCode = counts.problems.length > 0 ? 1 : 0;
} finally {
  await server.stop();
  await models.stop();
}

function told({ rssMb, handles, handleKinds }: ServerFigures): string {
  return `${Math.round(rssMb)} MB, ${handles} handles ${JSON.stringify(handleKinds)}`;
}

/** Least squares, in megabytes an hour. */
function slope(samples: readonly { hours: number; mb: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [x, y] = [mean(samples.map(({ hours }) => hours)), mean(samples.map(({ mb }) => mb))];
  const over = samples.reduce((sum, { hours, mb }) => sum + (hours - x) * (mb - y), 0);
  return over / samples.reduce((sum, { hours }) => sum + (hours - x) ** 2, 0);
}
