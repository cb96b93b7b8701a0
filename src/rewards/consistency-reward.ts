import { ParsedAnswer, parseAnswer } from '../reasoning/answer-parser.js';
import { optionLetter, SpatialQuestion } from '../reasoning/prompt.js';
import { ConsistencyJudge, JudgedThinking } from './consistency-judge.js';
import { meanRelativeAccuracy } from './mean-relative-accuracy.js';
import { Reward, RewardSample, RewardScore, unscored } from './reward.js';
import { sameText } from './same-text.js';

export type ConsistencyMode =
  /** The paper's: question and thinking as they are. */
  | 'plain'
  /** The same thinking with the options in another order, so that a letter alone does not carry the answer (ACRE). */
  | 'shuffled';

/**
 * Logical consistency (Embodied-R): 1 when the answer is right and a frozen reference, given the question and the
 * reasoning only, gives the same answer. A wrong answer scores 0 without asking. A judge that fails leaves the sample
 * unscored.
 */
export function consistencyReward(mode: ConsistencyMode = 'plain'): Reward {
  return {
    name: mode === 'plain' ? 'consistency' : 'consistency_shuffled',
    version: 1,
    async score(samples, { judge, signal }) {
      const asked = samples.map((sample) => (isRight(sample) ? judgedItem(sample, mode) : null));
      const verdicts = await judgeAnswers(
        asked.filter((item) => item !== null),
        judge,
        signal,
      );
      return asked.map((item, i): RewardScore => {
        if (item === null) return { score: 0, detail: { reason: 'the answer is wrong' } };
        const verdict = verdicts.shift()!;
        if (verdict instanceof Error) return unscored(verdict);
        return scoreOf(samples[i]!, item.question, verdict);
      });
    },
  };
}

/** Whether the reference reads the same answer from each thinking; null where it could not be asked. */
export async function agreesWithThinking(
  samples: readonly Pick<RewardSample, 'question' | 'parsed'>[],
  judge: ConsistencyJudge,
  signal: AbortSignal,
): Promise<(boolean | null)[]> {
  const verdicts = await judgeAnswers(
    samples.map(({ question, parsed }) => ({ question, thinking: parsed.thinking })),
    judge,
    signal,
  );
  return verdicts.map((verdict, i) => {
    const { question, parsed } = samples[i]!;
    return verdict instanceof Error ? null : sameAnswer(parsed, verdict, question, question);
  });
}

async function judgeAnswers(
  items: readonly JudgedThinking[],
  judge: ConsistencyJudge,
  signal: AbortSignal,
): Promise<(ParsedAnswer | Error)[]> {
  if (items.length === 0) return [];
  const answers = await judge.answer(items, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    return items.map(() => (error instanceof Error ? error : new Error(String(error))));
  });
  return answers.map((answer, i) =>
    answer instanceof Error
      ? answer
      : parseAnswer(`<think>-</think><answer>${answer}</answer>`, items[i]!.question),
  );
}

function isRight({ question, groundTruth, parsed }: RewardSample): boolean {
  if (question.answerType === 'choice') return parsed.choice === groundTruth;
  if (question.answerType === 'number')
    // The largest relative error that still scores half.
    return parsed.number !== null && meanRelativeAccuracy(parsed.number, Number(groundTruth)) >= 0.5;
  return parsed.answerText !== null && sameText(parsed.answerText, groundTruth);
}

function judgedItem({ question, parsed }: RewardSample, mode: ConsistencyMode): JudgedThinking {
  const { thinking } = parsed;
  if (mode === 'plain' || question.options.length < 2) return { question, thinking };
  // Turned by one: no option keeps its letter, and the same question is always turned the same way.
  const [first, ...rest] = question.options;
  return { question: { ...question, options: [...rest, first!] }, thinking };
}

function scoreOf(sample: RewardSample, judged: SpatialQuestion, verdict: ParsedAnswer): RewardScore {
  const agrees = sameAnswer(sample.parsed, verdict, sample.question, judged);
  return { score: agrees ? 1 : 0, detail: { judged: verdict.answerText } };
}

function sameAnswer(
  ours: ParsedAnswer,
  theirs: ParsedAnswer,
  ourQuestion: SpatialQuestion,
  theirQuestion: SpatialQuestion,
): boolean {
  if (ourQuestion.answerType === 'choice')
    return (
      ours.choice !== null &&
      theirs.choice !== null &&
      optionText(ours.choice, ourQuestion) === optionText(theirs.choice, theirQuestion)
    );
  if (ourQuestion.answerType === 'number') return ours.number !== null && ours.number === theirs.number;
  return (
    ours.answerText !== null && theirs.answerText !== null && sameText(ours.answerText, theirs.answerText)
  );
}

function optionText(letter: string, { options }: SpatialQuestion): string | undefined {
  return options.find((_, i) => optionLetter(i) === letter);
}
