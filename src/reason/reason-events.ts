import { KeyframeView, PerceptView } from './keyframe-json.js';

export interface AnswerView {
  trajectory_id: string;
  session_id: string;
  /** Option letter, number or text as the answer type wants; null when the model gave none that can be read. */
  answer: string | number | null;
  /** The option's text, for choices. */
  answer_text: string | null;
  thinking: string;
  finish_reason: string;
  /** Why the answer could not be read. */
  problem: string | null;
  /** Keyframes that the thinking refers to, or all that the model was given. */
  evidence_keyframe_ids: string[];
  /** All of a video; of a session those that the model was given. */
  keyframes: KeyframeView[];
  percepts: PerceptView[];
  policy_version: string;
  usage: {
    prompt_tokens: number;
    completion_tokens: number;
    perception_prompt_tokens: number;
    perception_completion_tokens: number;
  };
  timings_ms: Record<string, number>;
  seen_until_ms: number;
  warnings: string[];
}

/** What happens while a question is answered, in order; also the events of the SSE stream. */
export type ReasonEvent =
  | { event: 'keyframe'; data: KeyframeView }
  | { event: 'percept'; data: PerceptView }
  | { event: 'answer.delta'; data: { part: 'thinking' | 'answer'; text: string } }
  | { event: 'answer'; data: AnswerView };
