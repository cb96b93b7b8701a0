import { LanguageModel } from '../../src/lm/language-model.js';
import { ParsedAnswer, parseAnswer } from '../../src/reasoning/answer-parser.js';
import { chanceOf, promptOf, worldItem } from '../questions/ask.js';
import { QUESTION_KINDS, QuestionKind, WorldQuestion } from '../questions/question.js';
import { WALK } from './recipe.js';

/** Longer than any gold completion of the worlds that are scored. */
const MAX_TOKENS = 320;
const AT_ONCE = 16;

export interface KindScore {
  items: number;
  accuracy: number;
  /** What guessing gets: see `chanceOf`. */
  chance: number;
}

export interface PolicyScore extends KindScore {
  /** Completions of exactly the asked form. */
  formatOk: number;
  byKind: Record<QuestionKind, KindScore>;
}

interface ScoredItem {
  question: WorldQuestion;
  isRight: boolean;
  formatOk: boolean;
}

/**
 * Answers held-out items, as many of each kind, over the same prompt, runtime and parser that serve.
 *
 * @param temperature 0 is greedy; 1 is what reinforcement learning samples with
 */
export async function scorePolicy(
  model: LanguageModel,
  itemsPerKind: number,
  temperature: number,
): Promise<PolicyScore> {
  const items = Array.from({ length: itemsPerKind * QUESTION_KINDS.length }, (_, index) => index);
  const scored: ScoredItem[] = [];
  while (items.length > 0) {
    const group = items.splice(0, AT_ONCE);
    scored.push(...(await Promise.all(group.map((index) => scoreItem(model, index, temperature)))));
  }
  const byKind = QUESTION_KINDS.map((kind) => [
    kind,
    summarise(scored.filter(({ question }) => question.kind === kind)),
  ]);
  return {
    ...summarise(scored),
    formatOk: share(scored, ({ formatOk }) => formatOk),
    byKind: Object.fromEntries(byKind) as Record<QuestionKind, KindScore>,
  };
}

async function scoreItem(model: LanguageModel, index: number, temperature: number): Promise<ScoredItem> {
  const item = worldItem('heldout', index, WALK);
  const { question } = item;
  const { completions } = await model.generate({
    messages: promptOf(item),
    sampling: { maxTokens: MAX_TOKENS, temperature, topP: 1, seed: index, stop: [] },
    n: 1,
    signal: new AbortController().signal,
  });
  const parsed = parseAnswer(completions[0]!.text, question);
  return { question, isRight: isRight(parsed, question), formatOk: parsed.formatOk };
}

/** A choice by its letter, a number by its value. */
export function isRight(
  { choice, number }: ParsedAnswer,
  { answerType, groundTruth }: WorldQuestion,
): boolean {
  return answerType === 'choice' ? choice === groundTruth : number === Number(groundTruth);
}

function summarise(scored: readonly ScoredItem[]): KindScore {
  return {
    items: scored.length,
    accuracy: share(scored, (item) => item.isRight),
    chance: round(chanceOf(scored.map(({ question }) => question))),
  };
}

function share<T>(items: readonly T[], holds: (item: T) => boolean): number {
  return items.length === 0 ? 0 : round(items.filter(holds).length / items.length);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
