import { Bearing } from '../../src/perception/percept.js';
import { angleTo, FIELD_OF_VIEW_DEG, wrapDegrees } from '../simulator/pose.js';
import { Random } from '../simulator/random.js';
import { Episode, nameOf } from '../simulator/walk.js';
import { Asker, choiceQuestion } from './question.js';
import { runningTurns } from './turning.js';

type Sector = 'ahead' | 'on the left' | 'on the right' | 'behind';
const SECTORS: readonly Sector[] = ['ahead', 'on the left', 'on the right', 'behind'];

/** Middle of each third of the view, to the left of straight ahead. */
const BEARING_DEG: Record<Bearing, number> = {
  left: FIELD_OF_VIEW_DEG / 3,
  ahead: 0,
  right: -FIELD_OF_VIEW_DEG / 3,
};
/** No question where the truth lies closer than this to the border of two sectors. */
const MARGIN_DEG = 10;

/** In view, left, ahead and right as the percept says; out of view, quarters of the circle. */
function sectorOf(angleDeg: number, inView: boolean): Sector {
  const edge = inView ? FIELD_OF_VIEW_DEG / 6 : 45;
  const size = Math.abs(angleDeg);
  return size <= edge ? 'ahead' : size >= 135 ? 'behind' : angleDeg > 0 ? 'on the left' : 'on the right';
}

/** An object, where it is now, and how the percepts tell. Null when they do not, or when they mislead. */
export function locate(
  episode: Episode,
  random: Random,
): { name: string; sector: Sector; thinking: string } | null {
  const { percepts, poses, world } = episode;
  const last = percepts.length - 1;
  const names = [...new Set(percepts.flatMap((percept) => percept.objects.map(nameOf)))];
  const name = random.pick(names.length === 0 ? [''] : names);
  const object = world.objects.find((candidate) => nameOf(candidate) === name);
  if (object === undefined) return null; // its colour was not told, so it may be any of several
  const frame = percepts.findLastIndex((percept) => percept.objects.some((seen) => nameOf(seen) === name));
  const { bearing } = percepts[frame]!.objects.find((seen) => nameOf(seen) === name)!;
  const told = bearing === 'ahead' ? 'ahead' : `on the ${bearing}`;
  if (frame === last) return { name, sector: told as Sector, thinking: `${name} ${told} in Frame ${frame}.` };
  const { steps, netDeg } = runningTurns(episode, frame);
  const truth = angleTo(poses[last]!, object);
  const sector = sectorOf(truth, false);
  const borders = [45, -45, 135, -135].map((border) => Math.abs(truth - border));
  if (
    sectorOf(wrapDegrees(BEARING_DEG[bearing] - netDeg), false) !== sector ||
    Math.min(...borders) < MARGIN_DEG
  )
    return null;
  return { name, sector, thinking: `${name} ${told} in Frame ${frame}. ${steps}` };
}

const DIRECTION_TEXTS = [
  'Where is the {} now?',
  'Where is the {}, seen from where I am now?',
  'In which direction is the {} from me now?',
  'Is the {} left or right of me now?',
];

export const askDirection: Asker = (episode, random) => {
  const found = locate(episode, random);
  if (found === null) return null;
  const others = random
    .shuffled(SECTORS.filter((sector) => sector !== found.sector))
    .slice(0, random.integer(1, 3));
  const text = random.pick(DIRECTION_TEXTS).replace('{}', found.name);
  return choiceQuestion(
    'relative_direction',
    text,
    [found.sector, ...others],
    `${found.thinking} So`,
    random,
  );
};

const ROUTE_TEXTS = [
  'I want to go to the {}. What should I do next?',
  'How do I get to the {}?',
  'What is my next step towards the {}?',
];
const STEP: Record<Sector, string> = {
  ahead: 'move forward',
  'on the left': 'rotate left',
  'on the right': 'rotate right',
  behind: 'turn around',
};

export const askRoute: Asker = (episode, random) => {
  const found = locate(episode, random);
  if (found === null) return null;
  const answer = STEP[found.sector];
  const others = random
    .shuffled(Object.values(STEP).filter((step) => step !== answer))
    .slice(0, random.integer(1, 3));
  const text = random.pick(ROUTE_TEXTS).replace('{}', found.name);
  return choiceQuestion(
    'route_next_step',
    text,
    [answer, ...others],
    `${found.thinking} So ${found.sector}.`,
    random,
  );
};
