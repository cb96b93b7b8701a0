import { ChatMessage } from '../lm/language-model.js';
import { Percept } from '../perception/percept.js';
import { wordActions } from '../perception/wording.js';

export type AnswerType = 'choice' | 'number' | 'text';

export interface SpatialQuestion {
  text: string;
  /** Choices without their letters; empty unless the answer type is `choice`. */
  options: readonly string[];
  answerType: AnswerType;
}

export const SYSTEM_PROMPT =
  'You are an agent that moves and sees. You are given your egocentric observations from the past to the present, and a question. ' +
  'First reason step by step inside <think> </think>, then give the answer that follows from your reasoning inside <answer> </answer>.';

/** Letter of the option at `index`: A, B, C … */
export function optionLetter(index: number): string {
  return String.fromCharCode(65 + index);
}

/** A percept, and what was seen of the question's things on a second look. */
export interface Observed {
  percept: Percept;
  forQuestion: string | null;
}

/** Characters of one line at most, so that so many lines are a prompt of bounded length. */
const MAX_LINE = 1200;

/** `Frame 2: After rotate left 90 degrees, Observe: red chair ahead, near` (the paper's form). */
export function wordPercept({ percept, forQuestion }: Observed, index: number): string {
  const observed =
    forQuestion === null
      ? percept.text
      : `${percept.text.replace(/\.$/, '')}. About the question: ${forQuestion}`;
  if (index === 0) return cut(`Frame 0: Observe: ${observed}`);
  const doubt = percept.contradiction === null ? '' : ' (movement uncertain)';
  return cut(`Frame ${index}: After ${wordActions(percept.actions)}${doubt}, Observe: ${observed}`);
}

function cut(line: string): string {
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE - 1)}…`;
}

/**
 * The messages that the LM answers.
 * @param totals how often each movement was made in all; null when the lines tell every movement
 */
export function buildPrompt(
  observed: readonly Observed[],
  question: SpatialQuestion,
  totals: string | null = null,
): ChatMessage[] {
  const before =
    totals === null
      ? []
      : [`In all until now: ${totals}. Of the frames, the first, those that matter and the last:`];
  const observations = [...before, ...observed.map(wordPercept)].join('\n');
  const choices = question.options.map((option, i) => `${optionLetter(i)}. ${option}`).join('\n');
  const closing =
    question.answerType === 'choice'
      ? `Choices:\n${choices}\nAnswer with the letter of one choice.`
      : question.answerType === 'number'
        ? 'Answer with one number.'
        : 'Answer in a few words.';
  return [
    { role: 'system', content: SYSTEM_PROMPT },
    { role: 'user', content: `${observations}\nQuestion: ${question.text}\n${closing}` },
  ];
}
