import { ActionTaken, AgentAction, ObservedObject } from '../../perception/percept.js';
import { MemoryEntry } from './memory-entry.js';
import { moved, Pose, START_POSE } from './pose.js';

/** An object as it was seen from one pose. */
export interface Sighting {
  object: ObservedObject;
  pose: Pose;
  keyframeId: string;
  timestampMs: number;
}

/** What is left of percepts that were folded: where the agent got to, how, and where each object was seen. */
export interface AllocentricState {
  /** Percepts folded into it. */
  count: number;
  /** From the first to the last of them. */
  fromMs: number;
  untilMs: number;
  pose: Pose;
  /** How often each movement was made, and the degrees of all of them. */
  totals: Partial<Record<AgentAction, { times: number; degrees: number }>>;
  /** By colour and name, the one seen last at the end. */
  objects: ReadonlyMap<string, { first: Sighting; last: Sighting }>;
}

/** Kinds of object that are remembered: fixed memory, and more than a person would name of one walk. */
const MAX_OBJECTS = 256;

export const NOTHING_FOLDED: AllocentricState = {
  count: 0,
  fromMs: 0,
  untilMs: 0,
  pose: START_POSE,
  totals: {},
  objects: new Map(),
};

/** The state after one more percept. Pure: the state given stays as it is, so that a question may hold on to it. */
export function fold(
  state: AllocentricState,
  { percept, keyframeId, timestampMs }: MemoryEntry,
): AllocentricState {
  const pose = percept.actions.reduce(moved, state.pose);
  const objects = new Map(state.objects);
  for (const object of percept.objects) {
    const sighting = { object, pose, keyframeId, timestampMs };
    const key = objectKey(object);
    const first = objects.get(key)?.first ?? sighting;
    objects.delete(key); // so that it moves to the end
    objects.set(key, { first, last: sighting });
  }
  for (const key of objects.keys()) {
    if (objects.size <= MAX_OBJECTS) break;
    objects.delete(key);
  }
  return {
    count: state.count + 1,
    fromMs: state.count === 0 ? timestampMs : state.fromMs,
    untilMs: timestampMs,
    pose,
    totals: addUp(state.totals, percept.actions),
    objects,
  };
}

export function objectKey({ name, colour }: ObservedObject): string {
  return colour === null ? name : `${colour} ${name}`;
}

function addUp(
  totals: AllocentricState['totals'],
  actions: readonly ActionTaken[],
): AllocentricState['totals'] {
  const sum = { ...totals };
  for (const { action, degrees } of actions) {
    const { times, degrees: before } = sum[action] ?? { times: 0, degrees: 0 };
    sum[action] = { times: times + 1, degrees: before + (degrees ?? 0) };
  }
  return sum;
}
