import { ActionTaken, DEGREE_STEP, ObservedObject, Percept } from '../../src/perception/percept.js';
import { wordObservation } from '../../src/perception/wording.js';
import { bearingOf, distanceTo, isVisible, moved, nearness, Pose, START } from './pose.js';
import { Random } from './random.js';
import { makeWorld, World, WorldObject } from './world.js';

/** What a camera and a detector get wrong. All zero is a perfect perceiver. */
export interface PerceptionNoise {
  /** Share of visible objects that are missed. */
  missed: number;
  /** Share of objects whose colour is not told. */
  colourless: number;
}

/** One walk through one world, with what was perceived and where the agent really was. */
export interface Episode {
  world: World;
  percepts: Percept[];
  /** Pose at each percept. */
  poses: Pose[];
}

export interface WalkOptions {
  minKeyframes: number;
  maxKeyframes: number;
  noise: PerceptionNoise;
}

const MAX_TOLD = 3;

export function makeEpisode(random: Random, options: WalkOptions): Episode {
  const world = makeWorld(random);
  const noise = random.chance(0.5) ? options.noise : { missed: 0, colourless: 0 };
  const keyframes = random.integer(options.minKeyframes, options.maxKeyframes);
  const poses: Pose[] = [START];
  const percepts: Percept[] = [perceive(world, START, [], null, noise, random)];
  for (let i = 1; i < keyframes; i++) {
    const actions = chooseActions(world, random);
    const pose = actions.reduce(moved, poses[i - 1]!);
    poses.push(pose);
    percepts.push(perceive(world, pose, actions, percepts[i - 1]!, noise, random));
  }
  return { world, percepts, poses };
}

/** Mostly one; now and then two, as between keyframes that lie seconds apart, or none, as of a robot that waits. */
function chooseActions({ scene }: World, random: Random): ActionTaken[] {
  if (random.chance(0.05)) return [];
  const actions = [chooseAction(scene, random)];
  if (random.chance(0.3)) {
    const second = chooseAction(scene, random);
    const kind = (taken: ActionTaken) => taken.action.split(' ')[0];
    if (kind(second) !== kind(actions[0]!)) actions.push(second);
  }
  return actions;
}

function chooseAction(scene: World['scene'], random: Random): ActionTaken {
  const draw = random.unit();
  const degrees = DEGREE_STEP * random.pick([1, 2, 2, 3, 3, 4, 5, 6, 6, 6]);
  if (draw < 0.25) return { action: 'rotate left', degrees };
  if (draw < 0.5) return { action: 'rotate right', degrees };
  if (draw < 0.72) return { action: 'move forward', degrees: null };
  if (draw < 0.8) return { action: 'move backward', degrees: null };
  if (draw < 0.9) return { action: random.pick(['move left', 'move right'] as const), degrees: null };
  if (scene === 'room') return { action: 'move forward', degrees: null };
  if (draw < 0.97) return { action: random.pick(['move upward', 'move downward'] as const), degrees: null };
  return {
    action: random.pick(['tilt upward', 'tilt downward'] as const),
    degrees: DEGREE_STEP * random.integer(1, 2),
  };
}

function perceive(
  world: World,
  pose: Pose,
  actions: ActionTaken[],
  previous: Percept | null,
  noise: PerceptionNoise,
  random: Random,
): Percept {
  const seen = world.objects
    .filter((object) => isVisible(pose, object) && !random.chance(noise.missed))
    .sort((a, b) => distanceTo(pose, a) - distanceTo(pose, b))
    .slice(0, MAX_TOLD);
  const before = new Set(previous?.objects.map(nameOf));
  const objects = seen.map((object): ObservedObject => {
    const told = { name: object.name, colour: random.chance(noise.colourless) ? null : object.colour };
    return {
      ...told,
      bearing: bearingOf(pose, object),
      distance: nearness(pose, object),
      isNew: previous !== null && !before.has(nameOf(told)),
      score: null,
    };
  });
  const now = new Set(objects.map(nameOf));
  const gone = [...before].filter((name) => !now.has(name));
  return { actions, objects, gone, text: wordObservation(objects, gone), contradiction: null };
}

/** `red chair`, or `chair` when the colour is not told. */
export function nameOf({ name, colour }: Pick<ObservedObject, 'name' | 'colour'> | WorldObject): string {
  return colour === null ? name : `${colour} ${name}`;
}
