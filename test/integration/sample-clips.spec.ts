import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClipPerceiver } from '../../bench/egomotion/perceive-clip.js';
import { trueActionsBetween } from '../../bench/egomotion/true-actions.js';
import { packageRoot } from '../../src/config/package-root.js';
import { readTruth } from '../../worlds/render/truth/read-truth.js';
import { folderForFile } from '../support/temporary-folder.js';

const samples = join(packageRoot(), 'samples');
const CLIPS = ['room', 'street', 'tour'];
const ALL = ['.', 'motion/tune', 'motion/heldout'].flatMap((folder) =>
  readdirSync(join(samples, folder))
    .filter((name) => name.endsWith('.mp4'))
    .map((name) => join(folder, name)),
);

interface Truth {
  width: number;
  height: number;
  fps: number;
  frame_count: number;
  actions: { action: string; start_ms: number; end_ms: number }[];
  questions: { question: string; options: string[]; answer: string }[];
  frames: { t: number }[];
  overlap: { fps: number; t: number[]; rows: number[][] }[];
}

const truthOf = (clip: string) =>
  JSON.parse(readFileSync(join(samples, clip.replace(/(\.mp4)?$/, '.json')), 'utf8')) as Truth;

let perceiver: ClipPerceiver;
const dataDir = folderForFile();
beforeAll(async () => {
  perceiver = await ClipPerceiver.open(dataDir);
});
afterAll(() => perceiver.close());

/** Degrees turned to each side in all. */
function turnsOf(actions: readonly { action: string; degrees: number | null }[]) {
  const sum = (side: string) =>
    actions.reduce((total, { action, degrees }) => total + (action === `rotate ${side}` ? degrees! : 0), 0);
  return { left: sum('left'), right: sum('right') };
}

describe.each(ALL)('%s', (clip) => {
  const truth = truthOf(clip);

  it('is small, and its truth tells every frame', () => {
    expect(statSync(join(samples, clip)).size).toBeLessThan(800_000);
    expect(truth.frames.map(({ t }) => t)).toEqual(
      Array.from({ length: truth.frame_count }, (_, i) => (i * 1000) / truth.fps),
    );
    const ends = truth.actions.map(({ end_ms }) => end_ms);
    expect(truth.actions.map(({ start_ms }) => start_ms)).toEqual([0, ...ends.slice(0, -1)]);
  });

  it('asks questions whose right answer is one of the choices', () => {
    for (const { options, answer } of truth.questions) {
      expect(options).toContain(answer);
      expect(new Set(options).size).toBe(options.length);
    }
  });

  it('has overlaps of every sampled frame with all before it, whole while the camera stands', () => {
    for (const { fps, t, rows } of truth.overlap) {
      expect(t).toEqual(t.map((_, i) => (i * 1000) / fps));
      expect(rows.map((row) => row.length)).toEqual(t.map((_, i) => i));
      for (const share of rows.flat()) expect(share >= 0 && share <= 1).toBe(true);
      for (const { action, start_ms, end_ms } of truth.actions) {
        const still = t.flatMap((ms, i) => (action === 'stay' && ms >= start_ms && ms <= end_ms ? [i] : []));
        for (const i of still.slice(1)) expect(rows[i]![still[0]!]).toBe(1);
      }
    }
  });

  it('decodes as the server does, at the times of its truth', async () => {
    const times: number[] = [];
    for await (const frame of await perceiver.decode(join(samples, clip))) {
      expect([frame.width, frame.height]).toEqual([truth.width, truth.height]);
      times.push(frame.timestampMs);
    }
    expect(times).toEqual(truth.overlap.find(({ fps }) => fps === 1)!.t);
  });
});

describe('the default perceiver', () => {
  it.each(CLIPS)('sees in %s what stands there and which way the camera turned', async (clip) => {
    const keyframes = await perceiver.perceive(join(samples, `${clip}.mp4`));
    const truth = readTruth(join(samples, `${clip}.json`));
    expect(keyframes.length).toBeGreaterThanOrEqual(4);
    const names = new Set(keyframes.flatMap(({ percept }) => percept.objects.map(({ name }) => name)));
    const standing = new Set(truth.objects.map(({ name }) => name));
    expect([...names].filter((name) => standing.has(name)).length).toBeGreaterThanOrEqual(2);
    const last = keyframes.at(-1)!.timestampMs;
    const told = turnsOf(keyframes.flatMap(({ percept }) => percept.actions));
    const real = turnsOf(trueActionsBetween(truth.actions, 0, last));
    expect(Math.abs(told.left - real.left)).toBeLessThanOrEqual(30);
    expect(Math.abs(told.right - real.right)).toBeLessThanOrEqual(30);
  });
});
