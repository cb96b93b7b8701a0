import { ParsedAnswer } from '../reasoning/answer-parser.js';
import { SpatialQuestion } from '../reasoning/prompt.js';
import { ConsistencyJudge } from './consistency-judge.js';

/** A completion that is to be scored. */
export interface RewardSample {
  question: SpatialQuestion;
  /** Option letter, number or text. */
  groundTruth: string;
  /** As the policy wrote it. */
  completion: string;
  parsed: ParsedAnswer;
  completionTokens: number;
  /** It ran into the token limit. */
  truncated: boolean;
}

export interface RewardScore {
  /** In [0, 1]; null when it could not be told, which is not the same as 0. */
  score: number | null;
  /** Why, for whoever looks at it later. */
  detail: Record<string, unknown>;
}

export interface RewardContext {
  judge: ConsistencyJudge;
  signal: AbortSignal;
}

/** A plug-in that scores completions. Raise the version when the same completion would get another score. */
export interface Reward {
  readonly name: string;
  readonly version: number;
  /** One score for each sample, in order. */
  score(samples: readonly RewardSample[], context: RewardContext): Promise<RewardScore[]>;
}

/** A reward from a pure function of one sample. What it throws leaves that sample without a score. */
export function pureReward(
  name: string,
  version: number,
  scoreOf: (sample: RewardSample) => RewardScore,
): Reward {
  return {
    name,
    version,
    score: (samples) => Promise.resolve(samples.map((sample) => attempt(() => scoreOf(sample)))),
  };
}

function attempt(score: () => RewardScore): RewardScore {
  try {
    return score();
  } catch (error) {
    return unscored(error);
  }
}

export function unscored(error: unknown): RewardScore {
  return { score: null, detail: { error: error instanceof Error ? error.message : String(error) } };
}
