import { ActionTaken, Percept } from '../../perception/percept.js';
import { wordObservation } from '../../perception/wording.js';
import { AllocentricState, fold, objectKey, Sighting } from './allocentric-state.js';
import { MemoryEntry } from './memory-entry.js';
import { MemorySnapshot } from './observation-memory.js';
import { moved, netActions, Pose, START_POSE } from './pose.js';

/** What the model is given of a memory. */
export interface Recollection {
  /** How often each movement was made in all, in words; null when the lines tell it, or nobody asks. */
  totals: string | null;
  /** At most as many as asked for, in the order of time. */
  lines: MemoryEntry[];
}

/** Sums are told to those who ask for them only: a small model is led astray by what it does not need. */
const ASKS_HOW_OFTEN =
  /\bhow (many|often|much|far|long)\b|\bcount\b|\btimes\b|\b(in|the) total\b|\bnumber of\b/i;
/** Objects in one line at most, as the perceivers tell. */
const MAX_OBJECTS_PER_LINE = 5;

/**
 * A memory in at most `maxLines` lines. While all fit they stay word for word. Else the first stays, about two thirds
 * of the lines are the newest, and the rest are made from the folded state: where the objects that the question names
 * were first and last seen, then those seen last. Each line tells the net movement since the line before, so that
 * headings, places and directions stay right.
 */
export function recall(memory: MemorySnapshot, asked: string, maxLines: number): Recollection {
  const { first, folded, recent } = memory;
  if (first === null) return { totals: null, lines: [] };
  if (folded.count === 0 && recent.length < maxLines) return { totals: null, lines: [first, ...recent] };
  const lineCount = Math.max(1, Math.floor((maxLines - 1) / 3));
  const newest = recent.slice(-(maxLines - 1 - lineCount));
  const past = recent.slice(0, recent.length - newest.length).reduce(fold, folded);
  const { lines, pose } = foldedLines(past, asked, lineCount);
  const [next, ...rest] = newest;
  return {
    totals: ASKS_HOW_OFTEN.test(asked) ? wordTotals(newest.reduce(fold, past)) : null,
    lines: [first, ...lines, movedFrom(pose, past.pose, next!), ...rest],
  };
}

/** Lines that tell the chosen sightings, one for each keyframe, and the pose of the last of them. */
function foldedLines(
  { objects }: AllocentricState,
  asked: string,
  count: number,
): { lines: MemoryEntry[]; pose: Pose } {
  const chosen = new Map<string, Sighting[]>();
  for (const sighting of inOrderOfUse(objects, asked)) {
    const line = chosen.get(sighting.keyframeId);
    if (line === undefined && chosen.size < count) chosen.set(sighting.keyframeId, [sighting]);
    else if (line !== undefined && line.length < MAX_OBJECTS_PER_LINE && !line.includes(sighting))
      line.push(sighting);
  }
  let pose: Pose = START_POSE;
  const lines = [...chosen.values()]
    .sort((a, b) => a[0]!.timestampMs - b[0]!.timestampMs)
    .map((sightings) => {
      const [{ keyframeId, timestampMs, pose: at }] = sightings as [Sighting];
      const actions = netActions(pose, at);
      pose = at;
      return { keyframeId, timestampMs, percept: toldAgain(actions, sightings) };
    });
  return { lines, pose };
}

/** Those of objects that the question names, first sighting and last, then the last sightings of all, newest first. */
function inOrderOfUse(objects: AllocentricState['objects'], asked: string): Sighting[] {
  const newestFirst = [...objects].reverse();
  const named = newestFirst.filter(([key]) => names(asked, key));
  const alike = newestFirst.filter(([key, { last }]) => !names(asked, key) && names(asked, last.object.name));
  return [
    ...[...named, ...alike].flatMap(([, { first, last }]) => (first === last ? [last] : [last, first])),
    ...newestFirst.map(([, { last }]) => last),
  ];
}

/** Whether the text holds the words, one or several of them. */
function names(text: string, words: string): boolean {
  const pattern = words.replace(/[^\p{L}\p{N} ]/gu, '.').replace(/ +/g, '\\s+');
  return new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?:e?s)?(?![\\p{L}\\p{N}])`, 'iu').test(text);
}

function toldAgain(actions: ActionTaken[], sightings: readonly Sighting[]): Percept {
  const objects = [...new Map(sightings.map(({ object }) => [objectKey(object), object])).values()].map(
    (object) => ({ ...object, isNew: false }),
  );
  return { actions, objects, gone: [], text: wordObservation(objects, []), contradiction: null };
}

/** The entry as told from another pose than the one before it. */
function movedFrom(told: Pose, before: Pose, entry: MemoryEntry): MemoryEntry {
  if (netActions(told, before).length === 0) return entry;
  const actions = netActions(told, entry.percept.actions.reduce(moved, before));
  return { ...entry, percept: { ...entry.percept, actions } };
}

/** `rotate left 3 times, 180 degrees; move forward 57 times`. */
function wordTotals({ totals }: AllocentricState): string {
  const told = Object.entries(totals).map(([action, { times, degrees }]) => {
    const often = times === 1 ? 'once' : `${times} times`;
    return degrees === 0 ? `${action} ${often}` : `${action} ${often}, ${degrees} degrees`;
  });
  return told.length === 0 ? 'no movement' : told.join('; ');
}
