import { wordObject } from '../../src/perception/wording.js';
import { nameOf } from '../simulator/walk.js';
import { Asker, choiceQuestion, numberQuestion } from './question.js';

const DISTANCE_TEXTS = [
  'Which is nearer to me now, the {} or the {}?',
  'Which one is closer now: the {} or the {}?',
  'What is nearest to me now, of the {} and the {}?',
];

export const askDistance: Asker = ({ percepts }, random) => {
  const objects = percepts.at(-1)!.objects;
  const near = objects.filter((object) => object.distance === 'near').map(nameOf);
  const far = objects.filter((object) => object.distance === 'far').map(nameOf);
  const placeOf = (name: string) =>
    wordObject({ ...objects.find((object) => nameOf(object) === name)!, isNew: false });
  if (near.length === 0 || far.length === 0) return null;
  const [nearer, farther] = [random.pick(near), random.pick(far)];
  if (far.includes(nearer) || near.includes(farther)) return null; // two of a name, one near and one far
  const asked = random.shuffled([nearer, farther]);
  const text = asked.reduce((sentence, name) => sentence.replace('{}', name), random.pick(DISTANCE_TEXTS));
  const facts = asked.map((name) => `${placeOf(name)}.`).join(' ');
  return choiceQuestion('relative_distance', text, [nearer, farther], `${facts} So`, random);
};

const ORDER_TEXTS = [
  'Which of these did I see first?',
  'What did I see first?',
  'Which of these appeared first?',
];

export const askOrder: Asker = ({ percepts }, random) => {
  const first = new Map<string, number>();
  percepts.forEach(({ objects }, frame) =>
    objects.map(nameOf).forEach((name) => first.has(name) || first.set(name, frame)),
  );
  // One object for each frame, so that the answer is not a matter of order within a view.
  const distinct = [...new Map(random.shuffled([...first]).map(([name, frame]) => [frame, name]))].map(
    ([frame, name]) => ({ name, frame }),
  );
  if (distinct.length < 2) return null;
  const chosen = random.shuffled(distinct).slice(0, random.integer(2, 4));
  const answer = chosen.reduce((a, b) => (b.frame < a.frame ? b : a));
  const others = chosen.filter((item) => item !== answer).map((item) => item.name);
  const facts = chosen.map(({ name, frame }) => `${name} in Frame ${frame}.`).join(' ');
  return choiceQuestion(
    'appearance_order',
    random.pick(ORDER_TEXTS),
    [answer.name, ...others],
    `${facts} So`,
    random,
  );
};

const COUNT_TEXTS = [
  'How many different {}s did I see?',
  'How many {}s have I seen?',
  'Count the {}s that I saw.',
];

export const askCount: Asker = ({ world, percepts }, random) => {
  const candidates = new Set(world.objects.map((object) => object.name));
  // Half of the time one that stands more than once, which is rare otherwise.
  const repeated = [...candidates].filter(
    (name) => world.objects.filter((object) => object.name === name).length > 1,
  );
  const name = random.pick(repeated.length > 0 && random.chance(0.7) ? repeated : [...candidates]);
  const seen = new Map<string, number>();
  let colourless = false;
  percepts.forEach(({ objects }, frame) => {
    for (const object of objects.filter((item) => item.name === name)) {
      colourless ||= object.colour === null;
      if (!seen.has(nameOf(object))) seen.set(nameOf(object), frame);
    }
  });
  // None and one would be most of the answers, and a guess of one nearly always right.
  if (colourless || (seen.size === 0 && random.chance(0.7)) || (seen.size === 1 && random.chance(0.6)))
    return null;
  const facts = [...seen].map(([colour, frame], i) => `${colour} in Frame ${frame} = ${i + 1}.`);
  return numberQuestion(
    'object_counting',
    random.pick(COUNT_TEXTS).replace('{}', name),
    seen.size,
    seen.size === 0 ? '0.' : facts.join(' '),
  );
};
