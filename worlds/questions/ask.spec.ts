import { describe, expect, it } from 'vitest';
import { parseAnswer } from '../../src/reasoning/answer-parser.js';
import { WalkOptions } from '../simulator/walk.js';
import { chanceOf, promptOf, WorldItem, worldItem } from './ask.js';
import { goldCompletion, QUESTION_KINDS, QuestionKind } from './question.js';

const CLEAR: WalkOptions = { minKeyframes: 3, maxKeyframes: 7, noise: { missed: 0, colourless: 0 } };
const NOISY: WalkOptions = { minKeyframes: 2, maxKeyframes: 12, noise: { missed: 0.1, colourless: 0.1 } };
const PER_KIND = 120;

function itemsOf(kind: QuestionKind, options = NOISY): WorldItem[] {
  return Array.from({ length: PER_KIND }, (_, index) => worldItem('heldout', index, options, [kind]));
}

/** What the model reads: a line for each frame. */
function framesOf(item: WorldItem): string[] {
  const { content } = promptOf(item)[1]!;
  return content.split('\nQuestion: ')[0]!.split('\n');
}

function rightText({ question }: WorldItem): string {
  return question.answerType === 'choice'
    ? question.options[question.groundTruth.charCodeAt(0) - 65]!
    : question.groundTruth;
}

/** Net turn to the left in degrees, in (-180, 180], from the words of the frames after `from`. */
function netTurn(frames: readonly string[], from = 0): number {
  let sum = 0;
  for (const line of frames.slice(from + 1))
    for (const [, side, degrees] of line.matchAll(/rotate (left|right) (\d+) degrees/g))
      sum += side === 'left' ? Number(degrees) : -Number(degrees);
  while (sum <= -180) sum += 360;
  while (sum > 180) sum -= 360;
  return sum;
}

const count = (frames: readonly string[], words: string) =>
  frames.join('\n').split(new RegExp(`(?:After|,) ${words}(?=,)`)).length - 1;
/** What is seen in a frame, without what is gone. */
const seenIn = (line: string) =>
  line
    .split('Observe: ')[1]!
    .split('; ')
    .filter((part) => !part.startsWith('gone: '))
    .map((part) => part.replace(/^new /, ''));
const sector = (angle: number) =>
  Math.abs(angle) <= 45
    ? 'ahead'
    : Math.abs(angle) >= 135
      ? 'behind'
      : angle > 0
        ? 'on the left'
        : 'on the right';

/** The right answer, worked out from the words alone. */
const SOLVE: Record<QuestionKind, (frames: string[], item: WorldItem) => string> = {
  turn_direction: (frames) => {
    const net = netTurn(frames);
    return net === 0 ? 'not at all' : net > 0 ? 'left' : 'right';
  },
  heading_after_moves: (frames) =>
    ({
      ahead: 'the same way',
      behind: 'the opposite way',
      'on the left': 'to the left',
      'on the right': 'to the right',
    })[sector(netTurn(frames))],
  net_displacement: (frames) => String(count(frames, 'move forward') - count(frames, 'move backward')),
  height_change: (frames) => {
    const net = count(frames, 'move upward') - count(frames, 'move downward');
    return net === 0 ? 'the same' : net > 0 ? 'higher' : 'lower';
  },
  relative_distance: (frames, { question }) =>
    question.options.find((name) =>
      seenIn(frames.at(-1)!).some((part) => part.startsWith(`${name} `) && part.endsWith(', near')),
    )!,
  appearance_order: (frames, { question }) => {
    const first = (name: string) =>
      frames.findIndex((line) => seenIn(line).some((part) => part.startsWith(`${name} `)));
    return question.options.reduce((a, b) => (first(b) < first(a) ? b : a));
  },
  object_counting: (frames, { question }) => {
    const name = /(?:How many (?:different )?|Count the )([a-z ]+?)s (?:did|have|that)/.exec(
      question.text,
    )![1]!;
    const seen = frames
      .flatMap(seenIn)
      .map((part) => part.replace(/ (ahead|on the (left|right)), (near|far)$/, ''));
    return String(new Set(seen.filter((part) => part.endsWith(` ${name}`))).size);
  },
  relative_direction: (frames, item) => locate(frames, item),
  route_next_step: (frames, item) =>
    ({
      ahead: 'move forward',
      behind: 'turn around',
      'on the left': 'rotate left',
      'on the right': 'rotate right',
    })[locate(frames, item)]!,
};

/** Where the object was last, turned by what came after; and where it really is, in the world. */
function locate(frames: string[], { episode, question }: WorldItem): string {
  const name = /the ([a-z ]+?)(?: now| from| left|, seen|\?|\.)/.exec(question.text)![1]!;
  const last = frames.findLastIndex((line) => seenIn(line).some((part) => part.startsWith(`${name} `)));
  const place = seenIn(frames[last]!).find((part) => part.startsWith(`${name} `))!;
  const told = /(ahead|on the left|on the right),/.exec(place)![1]!;
  if (last === frames.length - 1) return told;
  const before = { ahead: 0, 'on the left': 25, 'on the right': -25 }[told]!;
  const now = sector(((before - netTurn(frames, last) + 540) % 360) - 180);
  const object = episode.world.objects.find(({ name: n, colour }) => `${colour} ${n}` === name)!;
  const pose = episode.poses.at(-1)!;
  const north = (Math.atan2(object.y - pose.y, object.x - pose.x) * 180) / Math.PI - 90;
  expect(sector(((((north - pose.headingDeg + 180) % 360) + 360) % 360) - 180)).toBe(now);
  return now;
}

describe.each(QUESTION_KINDS)('%s', (kind) => {
  const items = itemsOf(kind);

  it('has the answer that its words give', () => {
    for (const item of items)
      expect(rightText(item), framesOf(item).join('\n')).toBe(SOLVE[kind](framesOf(item), item));
  });

  it('has a gold completion of the asked form that ends in the right answer', () => {
    for (const { question } of items) {
      const parsed = parseAnswer(goldCompletion(question), question);
      expect(parsed.formatOk).toBe(true);
      expect(question.answerType === 'choice' ? parsed.choice : String(parsed.number)).toBe(
        question.groundTruth,
      );
    }
  });

  it('shuffles its options, each of which stands once', () => {
    const choices = items.filter(({ question }) => question.answerType === 'choice');
    for (const { question } of choices) expect(new Set(question.options).size).toBe(question.options.length);
    for (const letter of choices.length > 0 ? ['A', 'B'] : []) {
      const share = choices.filter(({ question }) => question.groundTruth === letter).length / choices.length;
      expect(share).toBeGreaterThan(0.15);
      expect(share).toBeLessThan(0.65);
    }
  });

  it('cannot be answered by always saying the same', () => {
    const answers = items.map(rightText);
    const most = Math.max(
      ...new Set(answers.map((text) => answers.filter((other) => other === text).length)),
    );
    expect(most / items.length).toBeLessThan(0.7);
  });

  it('is the same for the same index, and another in training', () => {
    expect(worldItem('heldout', 5, CLEAR, [kind])).toEqual(worldItem('heldout', 5, CLEAR, [kind]));
    const train = Array.from({ length: PER_KIND }, (_, i) =>
      JSON.stringify(worldItem('train', i, NOISY, [kind])),
    );
    expect(items.filter((item) => train.includes(JSON.stringify(item)))).toEqual([]);
  });
});

it('takes the kinds in turn', () => {
  const kinds = QUESTION_KINDS.map((_, index) => worldItem('train', index, CLEAR).question.kind);
  expect(kinds).toEqual(QUESTION_KINDS);
});

it('knows what a guess gets', () => {
  const question = {
    ...worldItem('train', 0, CLEAR).question,
    answerType: 'choice' as const,
    options: ['a', 'b', 'c', 'd'],
  };
  const number = (groundTruth: string) => ({
    ...question,
    answerType: 'number' as const,
    options: [],
    groundTruth,
  });
  expect(chanceOf([question])).toBe(0.25);
  expect(chanceOf([number('1'), number('1'), number('2'), number('3')])).toBe(0.5);
  expect(chanceOf([])).toBe(0);
});
