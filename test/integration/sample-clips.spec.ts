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
  actions: { start_ms: number; end_ms: number }[];
  questions: { question: string; options: string[]; answer: string }[];
  frames: { t: number }[];
  overlap: { timestamps_ms?: number[]; rows: number[][] }[];
}

const truthOf = (clip: string) =>
  JSON.parse(readFileSync(join(samples, clip.replace(/(\.mp4)?$/, '.json')), 'utf8')) as Truth;

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

  it('has overlaps that are shares', () => {
    for (const { rows } of truth.overlap)
      for (const share of rows.flat()) expect(share >= 0 && share <= 1).toBe(true);
  });
});

describe('the default perceiver', () => {
  let perceiver: ClipPerceiver;
  const dataDir = folderForFile();
  beforeAll(async () => {
    perceiver = await ClipPerceiver.open(dataDir);
  });
  afterAll(() => perceiver.close());

  it.each(CLIPS)('sees in %s what stands there and which way the camera turned', async (clip) => {
    const keyframes = await perceiver.perceive(join(samples, `${clip}.mp4`));
    const truth = readTruth(join(samples, `${clip}.json`));
    expect(keyframes.length).toBeGreaterThanOrEqual(4);
    const names = new Set(keyframes.flatMap(({ percept }) => percept.objects.map(({ name }) => name)));
    const standing = new Set(truth.objects.map(({ name }) => name));
    expect([...names].filter((name) => standing.has(name)).length).toBeGreaterThanOrEqual(2);
    const signed = (actions: readonly { action: string; degrees: number | null }[]) =>
      actions.reduce(
        (sum, { action, degrees }) =>
          sum + (action === 'rotate left' ? degrees! : action === 'rotate right' ? -degrees! : 0),
        0,
      );
    const told = signed(keyframes.flatMap(({ percept }) => percept.actions));
    const last = keyframes.at(-1)!.timestampMs;
    expect(Math.abs(told - signed(trueActionsBetween(truth.actions, 0, last)))).toBeLessThanOrEqual(45);
  });
});
