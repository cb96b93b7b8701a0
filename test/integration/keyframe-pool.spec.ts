import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { makePlanarScene } from '../../bench/keyframes/scenes/planar-scene.js';
import { paintTexture } from '../../bench/keyframes/scenes/texture.js';
import { Frame } from '../../src/frames/frame.js';
import { decide, SelectorState } from '../../src/keyframes/decide.js';
import { KeyframeWorkerPool, KeyframeWorkerPoolOptions } from '../../src/keyframes/keyframe-worker-pool.js';
import { MotionEvidence, MotionStep } from '../../src/keyframes/keyframe-selector.js';
import { resolveSelectorOptions } from '../../src/keyframes/selector-options.js';
import { stepMotion } from '../../src/perception/ego-motion/step-motion.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const [WIDTH, HEIGHT] = [320, 180];

function framesOf(seed: number, count = 10): Frame[] {
  const texture = paintTexture(600, 400, seed);
  const options = {
    name: '',
    heldOut: true,
    texture,
    frameCount: count,
    seed,
    zoom: 0.5,
    width: WIDTH,
    height: HEIGHT,
  };
  const scene = makePlanarScene(options);
  return Array.from({ length: count }, (_, index) => ({
    index,
    timestampMs: index * 1000,
    width: WIDTH,
    height: HEIGHT,
    rgb: scene.render(index),
  }));
}

function inThisThread(frames: readonly Frame[]): unknown[] {
  let state: SelectorState | null = null;
  const options = resolveSelectorOptions();
  return frames.map((frame) => {
    const decided = decide(state, frame, options);
    ({ state } = decided);
    const { step } = decided.decision;
    return {
      ...decided.decision,
      step: step && { ...timesOf(step), motion: stepMotion(step, options.hfovDeg) },
    };
  });
}

function timesOf({ fromTimestampMs, toTimestampMs }: MotionEvidence): Omit<MotionStep, 'motion'> {
  return { fromTimestampMs, toTimestampMs };
}

function pool(options: Partial<KeyframeWorkerPoolOptions> = {}): KeyframeWorkerPool {
  const opened = new KeyframeWorkerPool({ workers: 1, ...options });
  onTestFinished(() => opened.close());
  return opened;
}

it('decides in a worker as in this thread, and leaves the caller its pixels', async () => {
  const frames = framesOf(1);
  const selector = pool().create();
  const decisions = [];
  for (const frame of frames) decisions.push(await selector.decide(frame));
  expect(decisions).toEqual(inThisThread(frames));
  expect(frames[0]!.rgb.length).toBe(WIDTH * HEIGHT * 3);
});

it('keeps two streams apart that share a worker', async () => {
  const [first, second] = [framesOf(1), framesOf(2)];
  const shared = pool();
  const [a, b] = [shared.create(), shared.create()];
  const [decisionsA, decisionsB]: unknown[][] = [[], []];
  for (let i = 0; i < first.length; i++) {
    const [one, two] = await Promise.all([a.decide(first[i]!), b.decide(second[i]!)]);
    decisionsA!.push(one);
    decisionsB!.push(two);
  }
  expect(decisionsA).toEqual(inThisThread(first));
  expect(decisionsB).toEqual(inThisThread(second));
});

/** The real worker, which at a frame's index does something else first. */
function workerThat(does: string, atIndex: number): URL {
  const file = join(temporaryFolder(), 'worker.mjs');
  const real = new URL('../../dist/src/keyframes/keyframe-worker.js', import.meta.url).href;
  writeFileSync(
    file,
    `import { parentPort } from 'node:worker_threads';
     const on = parentPort.on.bind(parentPort);
     parentPort.on = (event, listener) => on(event, (message) => {
       if (message.frame?.index === ${atIndex}) ${does};
       listener(message);
     });
     await import(${JSON.stringify(real)});`,
  );
  return pathToFileURL(file);
}

it('fails what a dying worker was given, and starts another', async () => {
  const selector = pool({ workerUrl: workerThat('process.exit(9)', 1) }).create();
  const frames = framesOf(1, 3);
  expect((await selector.decide(frames[0]!)).keep).toBe(true);
  await expect(selector.decide(frames[1]!)).rejects.toMatchObject({
    code: 'keyframe_worker_died',
    retryable: true,
  });
  expect(await selector.decide(frames[2]!)).toMatchObject({ keep: true, reason: 'first' });
});

it('spreads streams over its workers, so that the death of one leaves the others', async () => {
  const shared = pool({ workers: 2, workerUrl: workerThat('process.exit(9)', 1) });
  const [a, b, c] = [shared.create(), shared.create(), shared.create()];
  const [first, second, third] = framesOf(1, 3);
  for (const selector of [a, b, c]) await selector.decide(first!);
  await expect(b.decide(second!)).rejects.toMatchObject({ code: 'keyframe_worker_died' });
  expect((await a.decide(third!)).reason).not.toBe('first');
  expect((await c.decide(third!)).reason).not.toBe('first');
  expect((await b.decide(third!)).reason).toBe('first');
});

it('gives the place of a closed stream to the next', async () => {
  const shared = pool({ workers: 2, workerUrl: workerThat('process.exit(9)', 1) });
  const [a, b] = [shared.create(), shared.create()];
  const [first, second, third] = framesOf(1, 3);
  for (const selector of [a, b]) await selector.decide(first!);
  a.close();
  a.close();
  await expect(a.decide(second!)).rejects.toMatchObject({ code: 'keyframe_selector_closed' });
  const c = shared.create();
  await expect(c.decide(second!)).rejects.toMatchObject({ code: 'keyframe_worker_died' });
  expect((await b.decide(third!)).reason).not.toBe('first');
});

it('fails what waits when it is closed, and stops a worker that is busy', async () => {
  const opened = pool({ workerUrl: workerThat('for (;;)', 1) });
  const selector = opened.create();
  const [first, second, third] = framesOf(1, 3);
  await selector.decide(first!);
  const waiting = Promise.allSettled([selector.decide(second!), selector.decide(third!)]);
  await opened.close();
  const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'keyframe_pool_closed' }) };
  expect(await waiting).toMatchObject([refused, refused]);
});

it('refuses frames over its queue, aborted ones, and all once it is closed', async () => {
  const opened = pool({ maxQueuedFrames: 2 });
  const selector = opened.create();
  const [first, second, third] = framesOf(1, 3);
  const waiting = [selector.decide(first!), selector.decide(second!)];
  await expect(selector.decide(third!)).rejects.toMatchObject({ code: 'keyframe_queue_full', limit: 2 });
  await Promise.all(waiting);
  const gone = new AbortController();
  const aborted = selector.decide(third!, gone.signal);
  gone.abort();
  await expect(aborted).rejects.toMatchObject({ fault: 'cancelled' });
  await opened.close();
  await expect(selector.decide(third!)).rejects.toMatchObject({ code: 'keyframe_pool_closed' });
});

it('refuses pixels that do not fit their size', async () => {
  const [frame] = framesOf(1, 1);
  await expect(
    pool()
      .create()
      .decide({ ...frame!, width: 319 }),
  ).rejects.toMatchObject({ code: 'frame_size_mismatch' });
});
