import { optionLetter, SpatialQuestion } from '../../src/reasoning/prompt.js';
import { Random } from '../simulator/random.js';
import { Episode } from '../simulator/walk.js';

/** A question about an episode with its right answer and the reasoning that leads there. */
export interface WorldQuestion extends SpatialQuestion {
  kind: QuestionKind;
  /** Option letter, or the number in digits. */
  groundTruth: string;
  /** Short steps that copy what is needed from the percepts and end in the answer. */
  thinking: string;
}

export const QUESTION_KINDS = [
  'turn_direction',
  'heading_after_moves',
  'relative_direction',
  'relative_distance',
  'appearance_order',
  'object_counting',
  'net_displacement',
  'route_next_step',
  'height_change',
] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

/** Makes a question of one kind, or null when the episode's percepts do not decide one. */
export type Asker = (episode: Episode, random: Random) => WorldQuestion | null;

/** A choice with its options shuffled; `options` begins with the right one. */
export function choiceQuestion(
  kind: QuestionKind,
  text: string,
  options: readonly string[],
  thinking: string,
  random: Random,
): WorldQuestion {
  const shuffled = random.shuffled(options);
  const letter = optionLetter(shuffled.indexOf(options[0]!));
  return {
    kind,
    text,
    options: shuffled,
    answerType: 'choice',
    groundTruth: letter,
    thinking: `${thinking} ${options[0]}. ${triedInOrder(shuffled, options[0]!)}`,
  };
}

/** `A. left: no. B. right: yes.`: reading the choices forward is easier to learn than finding a choice's letter. */
function triedInOrder(options: readonly string[], right: string): string {
  return options
    .slice(0, options.indexOf(right) + 1)
    .map((option, i) => `${optionLetter(i)}. ${option}: ${option === right ? 'yes' : 'no'}.`)
    .join(' ');
}

export function numberQuestion(
  kind: QuestionKind,
  text: string,
  answer: number,
  thinking: string,
): WorldQuestion {
  return { kind, text, options: [], answerType: 'number', groundTruth: String(answer), thinking };
}

/** What the policy is taught to write. */
export function goldCompletion({ thinking, groundTruth }: WorldQuestion): string {
  return `<think>${thinking}</think><answer>${groundTruth}</answer>`;
}
