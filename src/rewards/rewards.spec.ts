import { describe, expect, it } from 'vitest';
import { parseAnswer } from '../reasoning/answer-parser.js';
import { SpatialQuestion } from '../reasoning/prompt.js';
import { accuracyReward } from './accuracy-reward.js';
import { ConsistencyJudge, JudgedThinking } from './consistency-judge.js';
import { agreesWithThinking, consistencyReward } from './consistency-reward.js';
import { formatReward } from './format-reward.js';
import { lengthReward } from './length-reward.js';
import { meanRelativeAccuracy } from './mean-relative-accuracy.js';
import { pureReward, RewardSample } from './reward.js';
import { sameText } from './same-text.js';
import { scoreCompletions } from './score-completions.js';
import { PAPER_STAGES, stageAt, stageProblem } from './stage-schedule.js';

const CHOICE: SpatialQuestion = {
  text: 'Which way did I turn?',
  options: ['left', 'right', 'not at all'],
  answerType: 'choice',
};
const NUMBER: SpatialQuestion = { text: 'How many chairs?', options: [], answerType: 'number' };
const TEXT: SpatialQuestion = { text: 'What is ahead?', options: [], answerType: 'text' };

function sample(question: SpatialQuestion, groundTruth: string, completion: string): RewardSample {
  return {
    question,
    groundTruth,
    completion,
    parsed: parseAnswer(completion, question),
    completionTokens: completion.length,
    truncated: false,
  };
}

class Judge implements ConsistencyJudge {
  readonly asked: JudgedThinking[] = [];
  constructor(private readonly reply: (item: JudgedThinking) => string | Error) {}
  answer(items: readonly JudgedThinking[]): Promise<(string | Error)[]> {
    this.asked.push(...items);
    return Promise.resolve(items.map(this.reply));
  }
}
const never = new Judge(() => new Error('not to be asked'));
const contextOf = (judge: ConsistencyJudge) => ({ judge, signal: new AbortController().signal });
const scoreOne = async (reward: typeof formatReward, each: RewardSample, judge: ConsistencyJudge = never) =>
  (await reward.score([each], contextOf(judge)))[0]!;

describe('format', () => {
  it.each([
    ['<think>a</think><answer>A</answer>', 1],
    ['<think>a</think>\n<answer>A</answer>\n', 1],
    ['<think>a</think><answer>A</answer> and more', 0],
    ['<answer>A</answer>', 0],
    ['<think>a<answer>A</answer>', 0],
    ['<think>a</think><answer></answer>', 0],
    ['', 0],
  ])('of %j is %d', async (completion, expected) => {
    expect((await scoreOne(formatReward, sample(CHOICE, 'A', completion))).score).toBe(expected);
  });

  it('is 0 for what was cut off', async () => {
    const cut = { ...sample(CHOICE, 'A', '<think>a</think><answer>A</answer>'), truncated: true };
    expect((await scoreOne(formatReward, cut)).score).toBe(0);
  });
});

describe('accuracy', () => {
  it.each([
    // The letter in the thinking is not the answer, as the paper's expression would have it.
    [CHOICE, 'C', '<think>option A. is wrong</think><answer>C</answer>', 1],
    [CHOICE, 'C', '<think>C.</think><answer>A</answer>', 0],
    [CHOICE, 'B', '<think>-</think><answer>right</answer>', 1],
    [CHOICE, 'B', '<think>-</think><answer>A or B</answer>', 0],
    [CHOICE, 'B', 'B', 1],
    [CHOICE, 'B', '', 0],
    [NUMBER, '4', '<think>-</think><answer>4</answer>', 1],
    [NUMBER, '4', '<think>-</think><answer>5 chairs</answer>', 0.6],
    [NUMBER, '4', '<think>-</think><answer>many</answer>', 0],
    [TEXT, 'the red chair', '<think>-</think><answer>Red chair.</answer>', 1],
    [TEXT, 'the red chair', '<think>-</think><answer>blue chair</answer>', 0],
  ])('of %j with truth %s for %j is %d', async (question, truth, completion, expected) => {
    expect((await scoreOne(accuracyReward, sample(question, truth, completion))).score).toBe(expected);
  });

  it('has no score where the truth is not of the asked form', async () => {
    const scored = await scoreOne(accuracyReward, sample(NUMBER, 'four', '<answer>4</answer>'));
    expect(scored).toEqual({ score: null, detail: { error: 'The ground truth four is no number.' } });
  });
});

it.each([
  [10, 10, 1],
  [9.5, 10, 1], // an error of exactly 5 % passes the strictest threshold, 0.95
  [10.5, 10, 1],
  [9, 10, 0.9],
  [15, 10, 0.1],
  [5, 10, 0.1],
  [15.1, 10, 0],
  [-9, -10, 0.9],
  [0, 0, 1],
  [1, 0, 0],
])('mean relative accuracy of %d against %d is %d', (predicted, expected, accuracy) => {
  expect(meanRelativeAccuracy(predicted, expected)).toBeCloseTo(accuracy, 9);
});

it.each([
  ['The couch', 'couch', true],
  ['2.5 metres', '2.5 Metres!', true],
  ['2.5', '25', false],
  ['left of it', 'right of it', false],
  ['Ａ', 'a', true], // an article, once normalised
])('texts %j and %j: same is %s', (a, b, expected) => {
  expect(sameText(a, b)).toBe(expected);
});

describe('consistency', () => {
  const right = sample(CHOICE, 'A', '<think>I turned left.</think><answer>A</answer>');
  const wrong = sample(CHOICE, 'B', '<think>I turned left.</think><answer>A</answer>');

  it('asks with question and thinking only, and wants the same answer', async () => {
    const judge = new Judge(() => 'A');
    expect((await scoreOne(consistencyReward(), right, judge)).score).toBe(1);
    expect(judge.asked).toEqual([{ question: CHOICE, thinking: 'I turned left.' }]);
    expect((await scoreOne(consistencyReward(), right, new Judge(() => 'B'))).score).toBe(0);
    expect((await scoreOne(consistencyReward(), right, new Judge(() => 'no idea'))).score).toBe(0);
  });

  it('is 0 for a wrong answer, without asking', async () => {
    expect((await scoreOne(consistencyReward(), wrong, never)).score).toBe(0);
    expect(never.asked).toEqual([]);
  });

  it('is unscored when the judge fails, for that one or for all', async () => {
    const judge = new Judge(({ thinking }) => (thinking === 'bad' ? new Error('busy') : 'A'));
    const bad = sample(CHOICE, 'A', '<think>bad</think><answer>A</answer>');
    const scores = await consistencyReward().score([right, bad, wrong], contextOf(judge));
    expect(scores.map(({ score }) => score)).toEqual([1, null, 0]);
    const broken = { answer: () => Promise.reject(new Error('gone')) };
    expect(await scoreOne(consistencyReward(), right, broken)).toEqual({
      score: null,
      detail: { error: 'gone' },
    });
  });

  it('shuffled: the options stand in another order, and the same text must be chosen', async () => {
    const honest = new Judge(({ question }) => 'ABC'[question.options.indexOf('left')]!);
    const parrot = new Judge(() => 'A');
    expect((await scoreOne(consistencyReward('shuffled'), right, honest)).score).toBe(1);
    expect(honest.asked[0]!.question.options).toEqual(['right', 'not at all', 'left']);
    expect((await scoreOne(consistencyReward('shuffled'), right, parrot)).score).toBe(0);
  });

  it('can be told of wrong answers too, for a report', async () => {
    const judge = new Judge(() => 'A');
    expect(await agreesWithThinking([right, wrong], judge, contextOf(judge).signal)).toEqual([true, true]);
  });
});

it('length is free for a while, then costs', async () => {
  const reward = lengthReward({ freeTokens: 100, maxTokens: 200 });
  const at = async (completionTokens: number) =>
    (await scoreOne(reward, { ...sample(TEXT, 'x', 'x'), completionTokens })).score;
  expect([await at(10), await at(100), await at(150), await at(200), await at(900)]).toEqual([
    1, 1, 0.5, 0, 0,
  ]);
});

describe('a whole score', () => {
  const one = pureReward('one', 1, () => ({ score: 1, detail: {} }));
  const half = pureReward('half', 3, () => ({ score: 0.5, detail: {} }));
  const broken = pureReward('broken', 1, () => {
    throw new Error('no such thing');
  });
  const lying = pureReward('lying', 1, () => ({ score: NaN, detail: {} }));
  const samples = [sample(TEXT, 'x', 'x')];
  const whole = async (weights: Record<string, number>) =>
    (await scoreCompletions(samples, [one, half, broken, lying], weights, contextOf(never)))[0]!;

  it('is the weighted sum, with each part and its version', async () => {
    const { reward, scores } = await whole({ one: 0.3, half: 0.7 });
    expect(reward).toBeCloseTo(0.3 + 0.35, 9);
    expect(scores.map(({ name, version, weight, score }) => [name, version, weight, score])).toEqual([
      ['one', 1, 0.3, 1],
      ['half', 3, 0.7, 0.5],
    ]);
  });

  it('is not pulled down by a part that fails or is no number', async () => {
    expect((await whole({ one: 0.5, broken: 0.5 })).reward).toBe(1);
    expect((await whole({ half: 0.5, lying: 0.5 })).reward).toBe(0.5);
    const { reward, scores } = await whole({ broken: 1 });
    expect(reward).toBeNull();
    expect(scores[0]!.detail).toEqual({ error: 'no such thing' });
  });
});

describe('stages', () => {
  it("are the paper's by default", () => {
    const at = (epoch: number) => stageAt(PAPER_STAGES, (epoch - 0.5) / 12).weights;
    expect(at(2)).toEqual({ format: 0.7, accuracy: 0.3, consistency: 0 });
    expect(at(3)).toEqual({ format: 0.3, accuracy: 0.7, consistency: 0 });
    expect(at(12)).toEqual({ format: 0.1, accuracy: 0.7, consistency: 0.2 });
    expect(stageProblem(PAPER_STAGES, new Set(['format', 'accuracy', 'consistency']))).toBeNull();
  });

  it.each([
    [[], /at least one/],
    [[{ until: 0.5, weights: { format: 1 } }], /must end at 1/],
    [
      [
        { until: 1, weights: { format: 1 } },
        { until: 1, weights: { format: 1 } },
      ],
      /rise/,
    ],
    [[{ until: 1, weights: { charm: 1 } }], /no reward charm; there are format/],
    [[{ until: 1, weights: { format: -1 } }], /from 0 on/],
    [[{ until: 1, weights: { format: 0 } }], /above 0/],
  ])('%j are refused', (stages, problem) => {
    expect(stageProblem(stages, new Set(['format']))).toMatch(problem);
  });
});
