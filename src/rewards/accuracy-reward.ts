import { parseNumber } from '../reasoning/number-parser.js';
import { meanRelativeAccuracy } from './mean-relative-accuracy.js';
import { pureReward } from './reward.js';
import { sameText } from './same-text.js';

/** A choice by its letter; a number by mean relative accuracy; a text by its normalised words. No answer scores 0. */
export const accuracyReward = pureReward('accuracy', 1, ({ question, groundTruth, parsed }) => {
  const { answerText, choice, number, problem } = parsed;
  switch (question.answerType) {
    case 'choice':
      return {
        score: choice === groundTruth ? 1 : 0,
        detail: choice === null ? { problem } : { answer: choice, expected: groundTruth },
      };
    case 'number': {
      const expected = parseNumber(groundTruth).value;
      if (expected === null) throw new Error(`The ground truth ${groundTruth} is no number.`);
      if (number === null) return { score: 0, detail: { problem } };
      return { score: meanRelativeAccuracy(number, expected), detail: { answer: number, expected } };
    }
    case 'text':
      return {
        score: answerText !== null && sameText(answerText, groundTruth) ? 1 : 0,
        detail: answerText === null ? { problem } : { answer: answerText, expected: groundTruth },
      };
  }
});
