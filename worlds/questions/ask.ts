import { ChatMessage } from '../../src/lm/language-model.js';
import { buildPrompt } from '../../src/reasoning/prompt.js';
import { Random } from '../simulator/random.js';
import { Episode, makeEpisode, WalkOptions } from '../simulator/walk.js';
import { askDirection, askRoute } from './direction.js';
import { askDisplacement, askHeight } from './moving.js';
import { askCount, askDistance, askOrder } from './objects.js';
import { Asker, QUESTION_KINDS, QuestionKind, WorldQuestion } from './question.js';
import { askHeading, askTurnDirection } from './turning.js';

const ASKERS: Record<QuestionKind, Asker> = {
  turn_direction: askTurnDirection,
  heading_after_moves: askHeading,
  relative_direction: askDirection,
  relative_distance: askDistance,
  appearance_order: askOrder,
  object_counting: askCount,
  net_displacement: askDisplacement,
  route_next_step: askRoute,
  height_change: askHeight,
};

export interface WorldItem {
  episode: Episode;
  question: WorldQuestion;
}

/** What the server would ask the model. */
export function promptOf({ episode, question }: WorldItem): ChatMessage[] {
  return buildPrompt(
    episode.percepts.map((percept) => ({ percept, forQuestion: null })),
    question,
  );
}

/** Training and held-out items come from seeds that never meet. */
export type Split = 'train' | 'heldout';
const SPLIT_OFFSET: Record<Split, number> = { train: 0, heldout: 1_500_000_000 };

/** Item `index` of a split: its kind goes round, and new episodes are drawn until one decides a question of it. */
export function worldItem(
  split: Split,
  index: number,
  options: WalkOptions,
  kinds: readonly QuestionKind[] = QUESTION_KINDS,
): WorldItem {
  const kind = kinds[index % kinds.length]!;
  const random = new Random(SPLIT_OFFSET[split] + index);
  for (;;) {
    const episode = makeEpisode(random, options);
    const question = ASKERS[kind](episode, random);
    if (question !== null) return { episode, question };
  }
}

/** Share of right answers of somebody who guesses: one in the options; numbers as the most frequent answer. */
export function chanceOf(questions: readonly WorldQuestion[]): number {
  const counts = new Map<string, number>();
  let choices = 0;
  let numbers = 0;
  for (const question of questions) {
    if (question.answerType === 'choice') choices += 1 / question.options.length;
    else {
      numbers++;
      counts.set(question.groundTruth, (counts.get(question.groundTruth) ?? 0) + 1);
    }
  }
  const best = numbers === 0 ? 0 : Math.max(...counts.values());
  return questions.length === 0 ? 0 : (choices + best) / questions.length;
}
