import { parseChoice } from './choice-parser.js';
import { parseNumber } from './number-parser.js';
import { AnswerType } from './prompt.js';

export interface AnswerForm {
  answerType: AnswerType;
  /** Choices without their letters. */
  options: readonly string[];
}

export interface ParsedAnswer {
  thinking: string;
  /** What the model gave as its answer, as written; null when it gave none. */
  answerText: string | null;
  /** Letter of the chosen option; null unless the answer type is `choice` and exactly one option is meant. */
  choice: string | null;
  /** Null unless the answer type is `number` and exactly one number is given. */
  number: number | null;
  /** Exactly `<think>…</think>` then `<answer>…</answer>`, and nothing after: the paper's format reward. */
  formatOk: boolean;
  /** Why the answer or its form is not usable, for a person; null when both are. */
  problem: string | null;
}

/** A pair of answer tags that holds no other; of nested ones the innermost. */
const ANSWER_PAIR = /<answer>((?:(?!<\/?answer>)[^])*)<\/answer>/gi;
const WELL_FORMED =
  /^\s*<think>((?:(?!<\/?(?:think|answer)>)[^])*)<\/think>\s*<answer>((?:(?!<\/?(?:think|answer)>)[^])*)<\/answer>\s*$/;

/**
 * Reads a completion, tags first: a letter in the thinking ("option A. is wrong … <answer>C</answer>") is never taken
 * for the answer. Of several answers the last complete one after the thinking counts, since models that restart
 * correct themselves; the form is then not kept.
 */
export function parseAnswer(text: string, form: AnswerForm): ParsedAnswer {
  const { thinking, rest } = splitThinking(text);
  const located = locateAnswer(text, rest);
  const formatOk = WELL_FORMED.exec(text)?.[2].trim().length ? true : false;
  const parsed = { thinking, answerText: located.answer, choice: null, number: null, formatOk };
  if (located.answer === null) return { ...parsed, problem: 'the completion gives no answer' };
  const formProblem = formatOk
    ? null
    : (located.problem ?? 'the form is not <think>…</think><answer>…</answer>');
  if (form.answerType === 'choice') {
    const { letter, problem } = parseChoice(located.answer, form.options);
    return { ...parsed, choice: letter, problem: problem ?? formProblem };
  }
  if (form.answerType === 'number') {
    const { value, problem } = parseNumber(located.answer);
    return { ...parsed, number: value, problem: problem ?? formProblem };
  }
  return { ...parsed, problem: formProblem };
}

/** Thinking, and the text after it. A missing opening tag is forgiven, since some chat templates open the thinking themselves. */
function splitThinking(text: string): { thinking: string; rest: string | null } {
  const end = text.lastIndexOf('</think>');
  const start = text.indexOf('<think>');
  const from = start >= 0 ? start + '<think>'.length : 0;
  if (end >= from)
    return { thinking: text.slice(from, end).trim(), rest: text.slice(end + '</think>'.length) };
  if (start < 0) return { thinking: '', rest: text };
  const answer = text.lastIndexOf('<answer>');
  return { thinking: text.slice(from, answer >= from ? answer : undefined).trim(), rest: null };
}

function locateAnswer(text: string, rest: string | null): { answer: string | null; problem: string | null } {
  for (const part of rest === null ? [text] : [rest, text]) {
    const pairs = [...part.matchAll(ANSWER_PAIR)];
    const last = pairs.at(-1)?.[1].trim();
    if (last) return { answer: last, problem: pairs.length > 1 ? 'several answers are given' : null };
  }
  const opened = rest?.lastIndexOf('<answer>') ?? text.lastIndexOf('<answer>');
  if (opened >= 0) {
    const cut = (rest ?? text)
      .slice(opened + '<answer>'.length)
      .split('</answer>')[0]
      .replace(/<\/?[a-z]*$/i, '')
      .trim();
    return { answer: cut === '' ? null : cut, problem: 'the <answer> tag is not closed' };
  }
  // Without tags, only what follows the thinking can be the answer; empty tags are no answer.
  const untagged = rest?.replace(/<\/?answer>/gi, '').trim();
  return { answer: untagged ? untagged : null, problem: 'the <answer> tag is missing' };
}
