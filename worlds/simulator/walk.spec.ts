import { describe, expect, it } from 'vitest';
import { wordActions, wordObservation } from '../../src/perception/wording.js';
import { Random } from './random.js';
import { Episode, makeEpisode } from './walk.js';

const QUIET = { minKeyframes: 4, maxKeyframes: 9, noise: { missed: 0, colourless: 0 } };
const NOISY = { minKeyframes: 4, maxKeyframes: 9, noise: { missed: 0.3, colourless: 0.3 } };
const episodes = (count: number, options = QUIET): Episode[] =>
  Array.from({ length: count }, (_, seed) => makeEpisode(new Random(seed), options));

/** The walk again, in complex numbers and from the words alone. */
function walkFromWords(actions: readonly string[]): {
  x: number;
  y: number;
  headingDeg: number;
  height: number;
} {
  let [x, y, headingDeg, height] = [0, 0, 0, 0];
  for (const action of actions.flatMap((words) => words.split(', '))) {
    const turn = /^rotate (left|right) (\d+) degrees$/.exec(action);
    if (turn) headingDeg += (turn[1] === 'left' ? 1 : -1) * Number(turn[2]);
    const step = { forward: 90, left: 180, backward: 270, right: 0 }[/^move (\w+)$/.exec(action)?.[1] ?? ''];
    if (step !== undefined) {
      x += Math.cos(((step + headingDeg) * Math.PI) / 180);
      y += Math.sin(((step + headingDeg) * Math.PI) / 180);
    }
    height += action === 'move upward' ? 1 : action === 'move downward' ? -1 : 0;
  }
  return { x, y, headingDeg, height };
}

describe('a walk', () => {
  it('is the same for the same seed and another for another', () => {
    expect(episodes(20)).toEqual(episodes(20));
    const [first, ...others] = episodes(20).map((episode) => JSON.stringify(episode));
    expect(others).not.toContain(first);
  });

  it('leads where its words say', () => {
    for (const { percepts, poses } of episodes(100)) {
      const told = walkFromWords(percepts.slice(1).map((percept) => wordActions(percept.actions)));
      const last = poses.at(-1)!;
      expect(last.x).toBeCloseTo(told.x, 9);
      expect(last.y).toBeCloseTo(told.y, 9);
      expect([last.headingDeg, last.height]).toEqual([told.headingDeg, told.height]);
    }
  });

  it('tells only what stands in the field of view, nearest first places included', () => {
    for (const { world, percepts, poses } of episodes(100)) {
      percepts.forEach(({ objects }, i) => {
        const { x, y, headingDeg } = poses[i]!;
        for (const seen of objects) {
          const angles = world.objects
            .filter(({ name, colour }) => name === seen.name && colour === seen.colour)
            .map((object) => {
              const ahead = ((headingDeg + 90) * Math.PI) / 180;
              const [dx, dy] = [object.x - x, object.y - y];
              const forward = dx * Math.cos(ahead) + dy * Math.sin(ahead);
              const left = -dx * Math.sin(ahead) + dy * Math.cos(ahead);
              return (Math.atan2(left, forward) * 180) / Math.PI;
            });
          const bearing = (angle: number) =>
            Math.abs(angle) <= 12.5 ? 'ahead' : angle > 0 ? 'left' : 'right';
          expect(angles.filter((angle) => Math.abs(angle) < 37.5).map(bearing)).toContain(seen.bearing);
        }
      });
    }
  });

  it('says new for what was not told before and gone for what is told no more', () => {
    const name = ({ name, colour }: { name: string; colour: string | null }) =>
      colour === null ? name : `${colour} ${name}`;
    for (const { percepts } of episodes(100)) {
      percepts.slice(1).forEach(({ objects, gone }, i) => {
        const before = percepts[i]!.objects.map(name);
        const now = objects.map(name);
        expect(objects.filter(({ isNew }) => isNew).map(name)).toEqual(
          now.filter((told) => !before.includes(told)),
        );
        expect(gone).toEqual(before.filter((told) => !now.includes(told)));
      });
    }
  });

  it('puts percepts into the words that the local perceiver writes', () => {
    for (const { percepts } of episodes(50, NOISY))
      for (const { text, objects, gone } of percepts) expect(text).toBe(wordObservation(objects, gone));
  });

  it('misses objects and colours where noise is asked for', () => {
    const told = (options: typeof QUIET) =>
      episodes(200, options).flatMap(({ percepts }) => percepts.flatMap(({ objects }) => objects));
    expect(told(QUIET).every(({ colour }) => colour !== null)).toBe(true);
    expect(told(NOISY).some(({ colour }) => colour === null)).toBe(true);
    expect(told(NOISY).length).toBeLessThan(told(QUIET).length);
  });
});
