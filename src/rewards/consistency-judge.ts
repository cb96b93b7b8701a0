import { SpatialQuestion } from '../reasoning/prompt.js';

export interface JudgedThinking {
  question: SpatialQuestion;
  thinking: string;
}

/** Port: a frozen model that reads a question and somebody's reasoning, not the observations, and answers. */
export interface ConsistencyJudge {
  /** The text of each answer, in order; an Error where there is none. */
  answer(items: readonly JudgedThinking[], signal: AbortSignal): Promise<(string | Error)[]>;
}
