import { ActionContradiction, ActionTaken, ObservedObject, Percept } from '../perception/percept.js';

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

export function viewKeyframe(keyframe: {
  id: string;
  index: number;
  timestampMs: number;
  reason: string;
  overlapRatio: number | null;
  matchCount: number;
  inlierCount: number;
}): KeyframeView {
  const { id, index, timestampMs, reason, overlapRatio, matchCount, inlierCount } = keyframe;
  return {
    id,
    index,
    timestamp_ms: timestampMs,
    reason,
    overlap_ratio: overlapRatio,
    match_count: matchCount,
    inlier_count: inlierCount,
    image_url: `/keyframes/${id}/image`,
  };
}

export function viewPercept(
  keyframeId: string,
  { percept, cached }: { percept: Percept; cached: boolean },
  forQuestion: string | null,
): PerceptView {
  const { text, actions, objects, gone, contradiction } = percept;
  return {
    keyframe_id: keyframeId,
    text,
    for_question: forQuestion,
    actions,
    objects: objects.map(viewObject),
    gone,
    contradiction,
    cached,
  };
}

function viewObject({ isNew, ...rest }: ObservedObject): PerceptView['objects'][number] {
  return { ...rest, is_new: isNew };
}
