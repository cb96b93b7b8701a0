import { describe, expect, it } from 'vitest';
import { parseAnswer } from './answer-parser.js';
import { AnswerDelta, ThinkAnswerStream } from './think-answer-stream.js';

function split(text: string, size: number): { deltas: AnswerDelta[]; thinking: string; answer: string } {
  const stream = new ThinkAnswerStream();
  const deltas: AnswerDelta[] = [];
  for (let i = 0; i < text.length; i += size) deltas.push(...stream.push(text.slice(i, i + size)));
  deltas.push(...stream.flush());
  const join = (part: AnswerDelta['part']): string =>
    deltas
      .filter((d) => d.part === part)
      .map((d) => d.text)
      .join('');
  return { deltas, thinking: join('thinking'), answer: join('answer') };
}

const SIZES = [1, 2, 3, 7, 1000];

describe('ThinkAnswerStream', () => {
  it.each([
    '<think>\nThe sofa was left. Then a < b.\n</think>\n<answer> the left </answer>',
    'turned twice</think><answer>B</answer>',
    '<think>first <answer>A</answer> maybe</think> So: <answer>C</answer> Bye.',
    '<think>x</think>\n\nthe  left\n',
    '<think>x</think><answer>12',
    '<answer>C</answer>',
    '<think>left, then <b',
    '<think>x</think><answer>a <</answer>',
    '<think></think><answer></answer>',
  ])('splits %j as the parser does, wherever the pieces break', (text) => {
    const parsed = parseAnswer(text, { answerType: 'text', options: [] });
    for (const size of SIZES) {
      const { thinking, answer } = split(text, size);
      expect({ thinking, answer }).toEqual({ thinking: parsed.thinking, answer: parsed.answerText ?? '' });
    }
  });

  it('passes pieces on as they come', () => {
    const stream = new ThinkAnswerStream();
    expect(stream.push('<think>I see')).toEqual([{ part: 'thinking', text: 'I see' }]);
    expect(stream.push(' a chair</th')).toEqual([{ part: 'thinking', text: ' a chair' }]);
    expect(stream.push('ink><answer>le')).toEqual([{ part: 'answer', text: 'le' }]);
    expect(stream.push('ft</answer>')).toEqual([{ part: 'answer', text: 'ft' }]);
    expect(stream.push(' more')).toEqual([]);
    expect(stream.flush()).toEqual([]);
  });

  it('never passes on an empty piece or part of a tag', () => {
    for (const size of SIZES)
      for (const { text } of split('<think> a \n b </think> <answer> c </answer>', size).deltas)
        expect(text).toMatch(/^[^<>]+$/);
  });

  it('takes text without any tag for thinking', () => {
    expect(split('just left', 2)).toMatchObject({ thinking: 'just left', answer: '' });
  });
});
