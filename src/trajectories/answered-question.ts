import { ChatMessage } from '../lm/language-model.js';
import { AnswerType } from '../reasoning/prompt.js';

export interface NewKeyframe {
  id: string;
  index: number;
  frameIndex: number;
  timestampMs: number;
  /** Null outside streams. */
  sequence: bigint | null;
  width: number;
  height: number;
  contentHash: string;
  jpeg: Buffer;
  reason: string;
  overlapRatio: number | null;
  matchCount: number;
  inlierCount: number;
  perceptId: string | null;
}

export interface NewSession {
  source: 'upload' | 'url' | 'frames';
  durationMs: number;
  frameCount: number;
  warnings: string[];
  keyframes: NewKeyframe[];
}

/** Everything that one answered question leaves behind. */
export interface AnsweredQuestion {
  sessionId: string;
  /** Null when the session is kept already. */
  newSession: NewSession | null;
  question: {
    id: string;
    text: string;
    options: readonly string[];
    answerType: AnswerType;
    groundTruth: string | null;
  };
  trajectory: {
    id: string;
    policyVersionId: string;
    prompt: readonly ChatMessage[];
    promptTokenIds: number[];
    completion: string;
    completionTokenIds: number[];
    logprobs: number[];
    thinking: string;
    answer: string | null;
    finishReason: string;
    sampling: { temperature: number; top_p: number; max_tokens: number; seed: number | null };
    promptTokens: number;
    completionTokens: number;
    seenUntilMs: number;
    evidence: string[];
    confidence: number | null;
    timingsMs: Record<string, number>;
  };
}
