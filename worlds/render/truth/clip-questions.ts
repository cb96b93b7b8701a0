import { type Pose, type TimedAction } from '../camera-path.js';
import { seededRandom, type SeededRandom } from '../seeded-random.js';
import { type PlacedObject } from '../scene/scene-plan.js';
import { type VisibleObject } from './visible-objects.js';

/** A question whose answer follows from the ground truth alone. */
export interface ClipQuestion {
  kind: string;
  question: string;
  options: string[];
  /** The text of the right option. */
  answer: string;
}

export interface ClipStory {
  seed: number;
  objects: readonly PlacedObject[];
  actions: readonly TimedAction[];
  frames: readonly { timestampMs: number; pose: Pose; visible: readonly VisibleObject[] }[];
}

/** Large enough to be noticed by a person who watches the clip once. */
const NOTICEABLE_SHARE = 0.01;

const ask = (
  random: SeededRandom,
  kind: string,
  question: string,
  answer: string,
  others: readonly string[],
): ClipQuestion => ({
  kind,
  question,
  options: random.shuffle([answer, ...others]),
  answer,
});

const label = (object: PlacedObject): string => `${object.colour} ${object.name}`;

/** Objects whose name and colour no other object of the scene shares, with the first time each is well seen. */
function firstSights(story: ClipStory): { object: PlacedObject; timestampMs: number }[] {
  const unique = story.objects.filter(
    (object) => story.objects.filter((other) => label(other) === label(object)).length === 1,
  );
  return unique
    .flatMap((object) => {
      const frame = story.frames.find(({ visible }) =>
        visible.some(({ id, share }) => id === object.id && share >= NOTICEABLE_SHARE),
      );
      return frame === undefined ? [] : [{ object, timestampMs: frame.timestampMs }];
    })
    .sort((a, b) => a.timestampMs - b.timestampMs);
}

function turnQuestion(random: SeededRandom, story: ClipStory): ClipQuestion[] {
  const turns = story.actions.filter(({ action }) => action.startsWith('rotate'));
  if (turns.length === 0) return [];
  const answer = turns[0].action === 'rotate left' ? 'Left' : 'Right';
  return [
    ask(random, 'turn direction', 'In which direction does the agent turn first?', answer, [
      answer === 'Left' ? 'Right' : 'Left',
      'It never turns',
    ]),
  ];
}

function headingQuestion(random: SeededRandom, story: ClipStory): ClipQuestion[] {
  const first = story.frames[0].pose.yawDegrees;
  const last = story.frames[story.frames.length - 1].pose.yawDegrees;
  const turned = (((last - first) % 360) + 360) % 360;
  const headings = ['North', 'West', 'South', 'East'];
  const quarter = Math.round(turned / 90) % 4;
  const error = Math.abs(turned - Math.round(turned / 90) * 90);
  if (error > 20) return [];
  return [
    ask(
      random,
      'heading after moves',
      'The agent faces north at the start. Which way does it face at the end?',
      headings[quarter],
      headings.filter((_, index) => index !== quarter),
    ),
  ];
}

function bearingQuestion(random: SeededRandom, story: ClipStory): ClipQuestion[] {
  const named = new Set(firstSights(story).map(({ object }) => object.id));
  const last = story.frames[story.frames.length - 1];
  const candidates = last.visible.filter(
    ({ id, bearingDegrees, share }) =>
      named.has(id) && share >= NOTICEABLE_SHARE && Math.abs(bearingDegrees) > 10,
  );
  if (candidates.length === 0) return [];
  const chosen = random.pick(candidates);
  const object = story.objects[chosen.id - 1];
  const answer = chosen.bearingDegrees < 0 ? 'On the left' : 'On the right';
  const wrong = answer === 'On the left' ? 'On the right' : 'On the left';
  return [
    ask(
      random,
      'relative direction',
      `At the end, where is the ${label(object)} relative to the agent?`,
      answer,
      [wrong, 'Straight ahead'],
    ),
  ];
}

function distanceQuestion(random: SeededRandom, story: ClipStory): ClipQuestion[] {
  const named = new Set(firstSights(story).map(({ object }) => object.id));
  const last = story.frames[story.frames.length - 1].visible
    .filter(({ id, share }) => named.has(id) && share >= NOTICEABLE_SHARE / 2)
    .sort((a, b) => a.distanceMetres - b.distanceMetres);
  const [near] = last;
  const far = last[last.length - 1];
  if (near === undefined || far.distanceMetres < near.distanceMetres * 1.4) return [];
  const [nearName, farName] = [near, far].map(({ id }) => `The ${label(story.objects[id - 1])}`);
  return [
    ask(random, 'relative distance', 'Which of these is nearer to the agent at the end?', nearName, [
      farName,
    ]),
  ];
}

function orderQuestion(random: SeededRandom, story: ClipStory): ClipQuestion[] {
  const sights = firstSights(story).filter(
    ({ timestampMs }, index, all) => index === 0 || timestampMs - all[index - 1].timestampMs >= 750,
  );
  if (sights.length < 3) return [];
  const names = sights.slice(0, 4).map(({ object }) => `The ${label(object)}`);
  return [ask(random, 'appearance order', 'Which of these comes into view first?', names[0], names.slice(1))];
}

function climbQuestion(random: SeededRandom, story: ClipStory): ClipQuestion[] {
  const climb = story.frames[story.frames.length - 1].pose.y - story.frames[0].pose.y;
  if (Math.abs(climb) < 1) return [];
  const answer = climb > 0 ? 'Higher' : 'Lower';
  return [
    ask(random, 'height change', 'Is the agent higher or lower at the end than at the start?', answer, [
      answer === 'Higher' ? 'Lower' : 'Higher',
      'At the same height',
    ]),
  ];
}

function displacementQuestion(random: SeededRandom, story: ClipStory): ClipQuestion[] {
  const from = story.frames[0].pose;
  const to = story.frames[story.frames.length - 1].pose;
  const metres = Math.hypot(to.x - from.x, to.y - from.y, to.z - from.z);
  if (metres < 1.5) return [];
  const options = [1, 0.35, 2.2, 4].map((factor) => `About ${(metres * factor).toFixed(1)} m`);
  return [
    ask(
      random,
      'net displacement',
      'How far from its starting point does the agent end?',
      options[0],
      options.slice(1),
    ),
  ];
}

/** Every kind of question that the clip decides clearly. */
export function clipQuestions(story: ClipStory): ClipQuestion[] {
  const random = seededRandom(story.seed);
  return [
    turnQuestion,
    headingQuestion,
    bearingQuestion,
    distanceQuestion,
    orderQuestion,
    climbQuestion,
    displacementQuestion,
  ].flatMap((make) => make(random, story));
}
