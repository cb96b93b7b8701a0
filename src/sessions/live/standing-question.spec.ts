import { describe, expect, it } from 'vitest';
import { Candidate } from '../../reason/reasoner.js';
import { parseAnswer } from '../../reasoning/answer-parser.js';
import { SpatialQuestion } from '../../reasoning/prompt.js';
import { judge } from './standing-question.js';

const CHOICE: SpatialQuestion = { text: 'Where?', options: ['left', 'right'], answerType: 'choice' };
const NUMBER: SpatialQuestion = { text: 'How many?', options: [], answerType: 'number' };
const TEXT: SpatialQuestion = { text: 'What?', options: [], answerType: 'text' };

function candidates(question: SpatialQuestion, answers: readonly string[], logprobs?: number[]): Candidate[] {
  return answers.map((answer, i) => {
    const text = `<think>so</think><answer>${answer}</answer>`;
    return {
      completion: {
        text,
        tokenIds: null,
        logprobs: logprobs === undefined ? null : [logprobs[i]!],
        finishReason: 'stop',
      },
      parsed: parseAnswer(text, question),
      generation: {
        policyVersion: 'p',
        promptTokenIds: null,
        completions: [],
        usage: { promptTokens: 0, completionTokens: 0 },
      },
      sampling: { maxTokens: 8, temperature: 0.7, topP: 1, stop: [] },
    };
  });
}

const decide = (question: SpatialQuestion, answers: string[], until: string[] = [], least = 0.8) => {
  const { decision, answer, confidence } = judge(candidates(question, answers), question, until, least);
  return [decision, answer, confidence];
};

describe('judge', () => {
  it.each([
    ['waits below the confidence', CHOICE, ['A', 'A', 'A', 'B', 'B'], [], ['wait', 'A', 0.6]],
    ['answers at the confidence', CHOICE, ['A', 'A', 'A', 'A', 'B'], [], ['answer', 'A', 0.8]],
    ['counts what cannot be read against it', CHOICE, ['A', 'A', '?', '?', '?'], [], ['wait', 'A', 0.4]],
    ['waits when nothing can be read', CHOICE, ['?', '?'], [], ['wait', null, 0]],
    ['is silent on another answer', CHOICE, ['B', 'B'], ['A'], ['silent', 'B', 1]],
    ['takes an option by its text', CHOICE, ['B', 'B'], ['Right'], ['answer', 'B', 1]],
    ['takes any of several', CHOICE, ['B', 'B'], ['A', 'b'], ['answer', 'B', 1]],
    ['compares numbers by value', NUMBER, ['3', '3.0'], ['3.00'], ['answer', 3, 1]],
    [
      'compares texts without case and final stop',
      TEXT,
      ['A red chair', 'a red chair.'],
      ['a red chair'],
      ['answer', 'A red chair', 1],
    ],
  ] as const)('%s', (_name, question, answers, until, expected) => {
    expect(decide(question, [...answers], [...until])).toEqual([...expected]);
  });

  it('keeps the likeliest of the completions that agree', () => {
    const all = candidates(CHOICE, ['A', 'B', 'A'], [-2, -0.1, -1]);
    expect(judge(all, CHOICE, [], 0.5).candidate).toBe(all[2]);
  });
});
