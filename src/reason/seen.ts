import { PerceptionUsage, Picture } from '../perception/perceiver.js';
import { MemorySnapshot } from '../reasoning/memory/observation-memory.js';
import { NewSession } from '../trajectories/answered-question.js';
import { KeyframeView, PerceptView } from './keyframe-json.js';

/** A keyframe that the model was given, with what a second look for the question showed. */
export interface GivenKeyframe {
  keyframeId: string;
  forQuestion: string | null;
}

/** What was seen when a question is asked: of a whole video, or of a session until now. */
export interface Seen {
  sessionId: string;
  /** To be kept together with the first question; null when the session is kept already. */
  newSession: NewSession | null;
  memory: MemorySnapshot;
  seenUntilMs: number;
  /** What it cost to see it, for this question. */
  usage: PerceptionUsage;
  timingsMs: Record<string, number>;
  warnings: string[];
  pictures: (keyframeIds: readonly string[]) => Promise<Map<string, Picture>>;
  /** The keyframes and percepts that the reply tells. */
  tell: (given: readonly GivenKeyframe[]) => Promise<{ keyframes: KeyframeView[]; percepts: PerceptView[] }>;
}
