import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ActionTaken, AGENT_ACTIONS, ObservedObject, Percept } from '../../perception/percept.js';
import { buildPrompt } from '../prompt.js';
import { fold, NOTHING_FOLDED } from './allocentric-state.js';
import { MemoryEntry } from './memory-entry.js';
import { ObservationMemory } from './observation-memory.js';
import { moved, netActions, Pose, START_POSE, wrapDegrees } from './pose.js';
import { recall } from './recall.js';

const isTurn = (action: string) => action.startsWith('rotate') || action.startsWith('tilt');
const action = fc
  .record({ action: fc.constantFrom(...AGENT_ACTIONS), degrees: fc.integer({ min: 1, max: 8 }) })
  .map(({ action, degrees }): ActionTaken => ({ action, degrees: isTurn(action) ? degrees * 15 : null }));
const object = fc.record({
  name: fc.constantFrom('chair', 'couch', 'tv', 'dining table', 'potted plant'),
  colour: fc.constantFrom('red', 'blue', null),
  bearing: fc.constantFrom('left', 'ahead', 'right'),
  distance: fc.constantFrom('near', 'far'),
  isNew: fc.boolean(),
  score: fc.constant(0.5),
}) as fc.Arbitrary<ObservedObject>;
const percept = fc
  .record({ actions: fc.array(action, { maxLength: 3 }), objects: fc.array(object, { maxLength: 5 }) })
  .map((told): Percept => ({ ...told, gone: [], text: 'seen', contradiction: null }));

function remember(percepts: readonly Percept[], capacity = 12): ObservationMemory {
  const memory = new ObservationMemory(capacity);
  percepts.forEach((each, i) => memory.add(entryOf(each, i)));
  return memory;
}

const entryOf = (of: Percept, i: number): MemoryEntry => ({
  keyframeId: `keyframe-${i}`,
  timestampMs: i * 1000,
  percept: i === 0 ? { ...of, actions: [] } : of,
});
const walk = (lines: readonly MemoryEntry[]): Pose =>
  lines.flatMap((line) => line.percept.actions).reduce(moved, START_POSE);
const see = (name: string, more: Partial<ObservedObject> = {}): Percept => ({
  actions: [],
  objects: [{ name, colour: null, bearing: 'ahead', distance: 'near', isNew: true, score: 0.9, ...more }],
  gone: [],
  text: `${name} ahead, near`,
  contradiction: null,
});
const after = (actions: ActionTaken[], of: Percept): Percept => ({ ...of, actions });
const left = (degrees: number): ActionTaken => ({ action: 'rotate left', degrees });
const NOTHING: Percept = { actions: [], objects: [], gone: [], text: 'nothing known', contradiction: null };

describe('pose', () => {
  it('tells the way to a pose by actions that lead there, up to the length of moves', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 20 }), (actions) => {
        const pose = actions.reduce(moved, START_POSE);
        const told = netActions(START_POSE, pose);
        const reached = told.reduce(moved, START_POSE);
        expect(wrapDegrees(reached.headingDeg)).toBe(wrapDegrees(pose.headingDeg));
        expect(reached.tiltDeg).toBe(pose.tiltDeg);
        expect(Math.sign(reached.up)).toBe(Math.sign(pose.up));
        // The told way leads into the same half of the world.
        const dot = reached.ahead * pose.ahead + reached.right * pose.right;
        if (Math.hypot(pose.ahead, pose.right) >= 1) expect(dot).toBeGreaterThan(0);
      }),
    );
  });

  it('walks a square and comes home', () => {
    const side: ActionTaken[] = [{ action: 'move forward', degrees: null }, left(90)];
    const home = [...side, ...side, ...side, ...side].reduce(moved, START_POSE);
    expect(home.ahead).toBeCloseTo(0);
    expect(home.right).toBeCloseTo(0);
    expect(netActions(START_POSE, home)).toEqual([]);
  });

  it('moves to the right of where it looks', () => {
    const pose = [left(90), { action: 'move right', degrees: null } as const].reduce(moved, START_POSE);
    expect(pose.ahead).toBeCloseTo(1);
    expect(netActions(START_POSE, pose)).toEqual([left(90), { action: 'move right', degrees: null }]);
  });
});

describe('recall', () => {
  it('keeps every percept word for word while all fit', () => {
    const percepts = Array.from({ length: 12 }, (_, i) => see(`thing ${i}`));
    const { totals, lines } = recall(remember(percepts).snapshot(), '', 12);
    expect(totals).toBeNull();
    expect(lines.map((line) => line.percept)).toEqual(percepts);
  });

  it('never gives more lines than asked for, in order of time, and ends where the agent is', () => {
    fc.assert(
      fc.property(
        fc.array(percept, { minLength: 1, maxLength: 80 }),
        fc.integer({ min: 4, max: 16 }),
        fc.constantFrom('Where is the chair?', 'How far is the dining table?', 'Which way did I turn?'),
        (percepts, maxLines, question) => {
          const { lines } = recall(remember(percepts, maxLines).snapshot(), question, maxLines);
          expect(lines.length).toBeLessThanOrEqual(maxLines);
          const times = lines.map((line) => line.timestampMs);
          expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
          const really = walk(percepts.map(entryOf));
          const told = walk(lines);
          expect(wrapDegrees(told.headingDeg)).toBe(wrapDegrees(really.headingDeg));
          expect(told.tiltDeg).toBe(really.tiltDeg);
        },
      ),
    );
  });

  it('tells where a named object was first and last seen, however long ago', () => {
    const percepts = [
      see('door'),
      after([left(90)], see('couch', { colour: 'red', bearing: 'left' })),
      ...Array.from({ length: 500 }, (_, i) => after([left(15)], see(`thing ${i % 300}`))),
      after([left(45)], see('couch', { colour: 'red', bearing: 'right', distance: 'far' })),
      ...Array.from({ length: 200 }, (_, i) => after([left(30)], see(`thing ${i % 200}`))),
    ];
    const { lines } = recall(remember(percepts).snapshot(), 'Where is the red couch now?', 12);
    const sightings = lines.filter((line) => line.percept.objects.some(({ name }) => name === 'couch'));
    // The first sighting has left the memory of 256 kinds of object; the last one is there.
    expect(sightings.map((line) => line.timestampMs)).toEqual([502_000]);
    const at = lines.indexOf(sightings[0]!);
    const turnedSince = walk(lines.slice(at + 1)).headingDeg;
    expect(wrapDegrees(turnedSince)).toBe(wrapDegrees(200 * 30));
    expect(sightings[0]!.percept.text).toBe('red couch on the right, far');
    expect(lines[0]!.percept.text).toBe('door ahead, near');
  });

  it('keeps the first and the last sighting of a named object apart', () => {
    const percepts = [
      NOTHING,
      see('tv', { bearing: 'left' }),
      ...Array.from({ length: 20 }, () => after([left(15)], NOTHING)),
      see('tv', { bearing: 'right' }),
      ...Array.from({ length: 20 }, () => after([left(15)], NOTHING)),
    ];
    const { lines } = recall(remember(percepts).snapshot(), 'Did I see the TVs?', 12);
    expect(
      lines.filter(({ percept }) => percept.objects.length > 0).map(({ percept }) => percept.text),
    ).toEqual(['tv on the left, near', 'tv on the right, near']);
  });

  it('tells how often each movement was made in all, to who asks', () => {
    const percepts = [
      NOTHING,
      ...Array.from({ length: 40 }, () =>
        after([left(15), { action: 'move forward', degrees: null }], NOTHING),
      ),
    ];
    expect(recall(remember(percepts).snapshot(), 'How often did I turn?', 12).totals).toBe(
      'rotate left 40 times, 600 degrees; move forward 40 times',
    );
  });

  it('gives a prompt of bounded length from a memory of bounded size, for an hour and for ten', () => {
    const sizes = [3600, 36_000].map((count) => {
      const memory = new ObservationMemory(12);
      for (let i = 0; i < count; i++)
        memory.add(entryOf(after([left(15)], see(`object ${i % 1000}`, { colour: 'red' })), i));
      const snapshot = memory.snapshot();
      const { totals, lines } = recall(snapshot, 'Where is the red object 999?', 12);
      const prompt = buildPrompt(
        lines.map(({ percept }) => ({ percept, forQuestion: null })),
        { text: 'Where?', options: [], answerType: 'text' },
        totals,
      );
      return {
        objects: snapshot.folded.objects.size,
        recent: snapshot.recent.length,
        prompt: prompt[1]!.content.length,
      };
    });
    expect(sizes[0]).toMatchObject({ objects: 256, recent: 11 });
    expect(sizes[1]).toMatchObject({ objects: 256, recent: 11 });
    expect(Math.abs(sizes[1]!.prompt - sizes[0]!.prompt)).toBeLessThan(20);
  });
});

describe('fold', () => {
  it('leaves the state that it was given as it is', () => {
    const one = fold(NOTHING_FOLDED, entryOf(see('chair'), 1));
    fold(one, entryOf(see('tv'), 2));
    expect([...one.objects.keys()]).toEqual(['chair']);
    expect(NOTHING_FOLDED.objects.size).toBe(0);
  });
});
