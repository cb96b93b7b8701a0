import { describe, expect, it } from 'vitest';
import { Percept } from '../perception/percept.js';
import { buildPrompt, wordPercept } from './prompt.js';

const PERCEPT: Percept = {
  actions: [
    { action: 'rotate left', degrees: 45 },
    { action: 'move forward', degrees: null },
  ],
  objects: [],
  gone: [],
  text: 'red chair ahead, near. A hall.',
  contradiction: null,
};
const CONTRADICTED: Percept = {
  ...PERCEPT,
  contradiction: { claimed: 'rotate right', measured: { action: 'rotate left', degrees: 45 } },
};

describe('wordPercept', () => {
  it.each<[string, Percept, string | null, number, string]>([
    ['the first view without movement', PERCEPT, null, 0, 'Frame 0: Observe: red chair ahead, near. A hall.'],
    [
      'movement before what is seen',
      PERCEPT,
      null,
      2,
      'Frame 2: After rotate left 45 degrees, move forward, Observe: red chair ahead, near. A hall.',
    ],
    [
      'a doubt where model and geometry contradict each other',
      CONTRADICTED,
      null,
      2,
      'Frame 2: After rotate left 45 degrees, move forward (movement uncertain), Observe: red chair ahead, near. A hall.',
    ],
    [
      'standing still',
      { ...PERCEPT, actions: [] },
      null,
      1,
      'Frame 1: After staying, Observe: red chair ahead, near. A hall.',
    ],
    [
      'the second look after the first',
      PERCEPT,
      'The chair is close.',
      0,
      'Frame 0: Observe: red chair ahead, near. A hall. About the question: The chair is close.',
    ],
  ])('tells %s', (_, percept, forQuestion, index, words) => {
    expect(wordPercept({ percept, forQuestion }, index)).toBe(words);
  });
});

describe('buildPrompt', () => {
  const observed = [PERCEPT, CONTRADICTED].map((percept) => ({ percept, forQuestion: null }));
  const ask = (answerType: 'choice' | 'number' | 'text', options: string[] = []) =>
    buildPrompt(observed, { text: 'Where is the door?', options, answerType })[1]!.content;

  it('goes from the past to the present, then to the question and its lettered choices', () => {
    expect(ask('choice', ['left', 'right']).split('\n')).toEqual([
      expect.stringMatching(/^Frame 0: Observe/),
      expect.stringMatching(/^Frame 1: After .*\(movement uncertain\)/),
      'Question: Where is the door?',
      'Choices:',
      'A. left',
      'B. right',
      'Answer with the letter of one choice.',
    ]);
  });

  it('asks for the form of the answer', () => {
    expect(ask('number')).toMatch(/\nAnswer with one number\.$/);
    expect(ask('text')).toMatch(/\nAnswer in a few words\.$/);
  });
});
