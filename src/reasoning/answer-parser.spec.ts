import { describe, expect, it } from 'vitest';
import { parseAnswer } from './answer-parser.js';

const OPTIONS = ['front', 'left', 'right', 'back'];
const choice = (text: string, options = OPTIONS): ReturnType<typeof parseAnswer> =>
  parseAnswer(text, { answerType: 'choice', options });
const number = (text: string): ReturnType<typeof parseAnswer> =>
  parseAnswer(text, { answerType: 'number', options: [] });
const tagged = (answer: string, thinking = 'I turned twice.'): string =>
  `<think>${thinking}</think><answer>${answer}</answer>`;

describe('the form', () => {
  it('is kept by thinking, then answer, then nothing', () => {
    expect(choice(`\n${tagged('C', 'two\nlines')}\n`)).toEqual({
      thinking: 'two\nlines',
      answerText: 'C',
      choice: 'C',
      number: null,
      formatOk: true,
      problem: null,
    });
  });

  it.each([
    ['text after the answer', `${tagged('C')} Good luck!`],
    ['text between the tags', '<think>x</think> So: <answer>C</answer>'],
    ['text before the thinking', `Well. ${tagged('C')}`],
    ['no thinking', '<answer>C</answer>'],
    ['no opening tag of the thinking', 'x</think><answer>C</answer>'],
    ['no closing tag of the thinking', '<think>x <answer>C</answer>'],
    ['no closing tag of the answer', '<think>x</think><answer>C'],
    ['no answer tags', '<think>x</think>C'],
    ['an answer inside the thinking', '<think>x <answer>C</answer></think>'],
    ['nested answers', '<think>x</think><answer>A <answer>C</answer></answer>'],
    ['nested thinking', '<think>a<think>b</think></think><answer>C</answer>'],
    ['two answers', `${tagged('A')}<answer>C</answer>`],
    ['two rounds', `${tagged('A')}${tagged('C')}`],
  ])('is broken by %s, and the answer is still read', (_, text) => {
    const parsed = choice(text);
    expect(parsed.formatOk).toBe(false);
    expect(parsed.choice).toBe('C');
    expect(parsed.problem).not.toBeNull();
  });

  it('does not depend on whether the answer is an option', () => {
    expect(choice(tagged('somewhere'))).toMatchObject({
      formatOk: true,
      choice: null,
      problem: 'the answer matches no option',
    });
  });

  it.each([
    ['nothing', ''],
    ['thinking alone', '<think>The sofa was on the left. A'],
    ['thinking and nothing after', '<think>A or B</think>'],
    ['an answer cut off at its tag', '<think>x</think><ans'],
    ['an empty answer', tagged('  ')],
    ['an answer cut off at once', '<think>x</think><answer>'],
  ])('with %s gives no answer', (_, text) => {
    const parsed = choice(text);
    expect(parsed.choice).toBeNull();
    expect(parsed.formatOk).toBe(false);
    expect(parsed.problem).not.toBeNull();
  });
});

describe('where the answer is', () => {
  it('is the tag, not a letter in the thinking', () => {
    expect(choice('<think>option A. is wrong, B. too</think>\n<answer>C</answer>')).toMatchObject({
      choice: 'C',
      formatOk: true,
    });
    expect(choice('The answer is A. No: option A. is wrong … <answer>C</answer>').choice).toBe('C');
  });

  it('is after the thinking when the thinking mentions the tags', () => {
    expect(choice('<think>I will write <answer>A</answer> maybe</think><answer>C</answer>').choice).toBe('C');
  });

  it('is the last one when the model corrects itself', () => {
    expect(choice('<think>x</think><answer>A</answer> Wait. <answer>C</answer>')).toMatchObject({
      choice: 'C',
      problem: 'several answers are given',
    });
  });

  it('is the complete one when a later one is cut off', () => {
    expect(choice(`${tagged('C')}<answer>A`).choice).toBe('C');
  });

  it('drops the beginning of a closing tag that was cut off', () => {
    expect(choice('<think>x</think><answer>right</ans')).toMatchObject({ answerText: 'right', choice: 'C' });
  });

  it('keeps the thinking that was cut off', () => {
    expect(choice('<think>I moved for').thinking).toBe('I moved for');
  });

  it('is any text for questions that want text', () => {
    const parsed = parseAnswer(tagged(' a red chair '), { answerType: 'text', options: [] });
    expect(parsed).toMatchObject({ answerText: 'a red chair', choice: null, number: null, problem: null });
  });
});

describe('a choice', () => {
  it.each([
    ['C', 'C'],
    ['c', 'C'],
    ['(b)', 'B'],
    ['B.', 'B'],
    ['B)', 'B'],
    ['**C**', 'C'],
    ['\\boxed{C}', 'C'],
    ['"C"', 'C'],
    ['C. right', 'C'],
    ['C: right', 'C'],
    ['C right', 'C'],
    ['(C) right', 'C'],
    ['C - on my right hand side', 'C'],
    ['right', 'C'],
    ['The left', 'B'],
    ['the left.', 'B'],
    ['to the left', 'B'],
    ['It is to the right of the table.', 'C'],
    ['The answer is C', 'C'],
    ['The answer is (c).', 'C'],
    ['Answer: C', 'C'],
    ['Option D', 'D'],
    ['I choose option B because it fits.', 'B'],
    ['Right', 'C'],
    ['ＲＩＧＨＴ', 'C'],
  ])('%j means %s', (answer, letter) => {
    expect(choice(tagged(answer))).toMatchObject({ choice: letter, problem: null });
  });

  it.each([
    ['F', 'the letter F is no option'],
    ['left or right', 'the answer could mean the options B, C'],
    ['A or B', 'the answer could mean the options A, B'],
    ['B or A', 'the answer could mean the options A, B'],
    ['A, B', 'the answer talks about several options'],
    ['not the left', 'the answer rules options out instead of choosing one'],
    ['Option A is wrong', 'the answer rules options out instead of choosing one'],
    ['A. right', 'the letter A and the text of option C disagree'],
    ['I do not know', 'the answer matches no option'],
    ['brightness', 'the answer matches no option'],
    ['42', 'the answer matches no option'],
  ])('%j means none', (answer, problem) => {
    expect(choice(tagged(answer))).toMatchObject({ choice: null, problem });
  });

  it('takes a text with articles for the option, not for the letter A', () => {
    expect(choice(tagged('A chair'), ['table', 'a chair']).choice).toBe('B');
    expect(choice(tagged('A red chair'), ['chair', 'sofa']).choice).toBe('A');
  });

  it('prefers the option that says more', () => {
    const options = ['chair', 'red chair', 'sofa'];
    expect(choice(tagged('It was the red chair'), options).choice).toBe('B');
    expect(choice(tagged('the chair'), options).choice).toBe('A');
  });

  it('reads numbers that are options', () => {
    expect(choice(tagged('3'), ['2', '3', '13']).choice).toBe('B');
    expect(choice(tagged('about 3 chairs'), ['2', '3', '13']).choice).toBe('B');
    expect(choice(tagged('-90°'), ['90°', '-90°']).choice).toBe('B');
    expect(choice(tagged('1.5 m'), ['15 m', '1.5 m', '5 m']).choice).toBe('B');
  });

  it('means none when two options read the same', () => {
    expect(choice(tagged('left'), ['left', 'the left']).choice).toBeNull();
    expect(choice(tagged('B'), ['left', 'the left']).choice).toBe('B');
  });

  it('takes a letter as a letter even where options are letters', () => {
    expect(choice(tagged('A'), ['B', 'A']).choice).toBe('A');
  });
});

describe('a number', () => {
  it.each([
    ['4', 4],
    ['-3.5', -3.5],
    ['−3', -3],
    ['+2', 2],
    ['.5', 0.5],
    ['4.', 4],
    ['about 12 meters', 12],
    ['12m', 12],
    ['12 m2', 12],
    ['1,234.5 cm', 1234.5],
    ['1,234,567', 1234567],
    ['90°', 90],
    ['1e3', 1000],
    ['x = 7', 7],
    ['\\boxed{7}', 7],
    ['3 (3.0)', 3],
    ['There are **5** chairs.', 5],
  ])('%j is %d', (answer, value) => {
    expect(number(tagged(answer))).toMatchObject({ number: value, problem: null });
  });

  it.each([
    ['three'],
    ['2 or 3'],
    ['2-3'],
    ['between 2 and 4 m'],
    ['1,5'],
    ['1,23'],
    ['1/2'],
    ['room A4'],
    ['1e999'],
    ['none'],
  ])('%j is none', (answer) => {
    const parsed = number(tagged(answer));
    expect(parsed.number).toBeNull();
    expect(parsed.problem).not.toBeNull();
  });

  it('is not looked for in the thinking', () => {
    expect(number('<think>I moved 3 m, then 2 m</think><answer>5</answer>').number).toBe(5);
    expect(number('<think>I moved 3 m').number).toBeNull();
  });
});
