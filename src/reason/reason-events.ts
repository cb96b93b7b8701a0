import { ActionContradiction, ActionTaken, ObservedObject } from '../perception/percept.js';

/** What the caller is told of a keyframe; snake_case because it is the JSON. */
export interface KeyframeView {
  id: string;
  index: number;
  timestamp_ms: number;
  reason: string;
  overlap_ratio: number | null;
  match_count: number;
  inlier_count: number;
  image_url: string;
}

export interface PerceptView {
  keyframe_id: string;
  text: string;
  /** What the picture shows of the things that the question names; null without such a pass, and in streamed percepts. */
  for_question: string | null;
  actions: ActionTaken[];
  objects: {
    name: string;
    colour: string | null;
    bearing: string;
    distance: string;
    is_new: boolean;
    score: number | null;
  }[];
  gone: string[];
  contradiction: ActionContradiction | null;
  /** Whether it was made for an earlier question and reused. */
  cached: boolean;
}

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

export function viewObjects(objects: readonly ObservedObject[]): PerceptView['objects'] {
  return objects.map(({ isNew, ...rest }) => ({ ...rest, is_new: isNew }));
}
