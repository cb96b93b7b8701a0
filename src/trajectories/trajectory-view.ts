import { viewKeyframe } from '../reason/keyframe-json.js';
import { TrajectoryDto, TrajectorySummaryDto } from './dto/trajectory.dto.js';
import { TrajectorySummary, WholeTrajectory } from './trajectory.repository.js';

/** Rows as the JSON that callers see. */
export function viewSummary(row: TrajectorySummary): TrajectorySummaryDto {
  const {
    id,
    question,
    answer,
    thinking,
    finishReason,
    policyVersion,
    promptTokens,
    completionTokens,
    timingsMs,
    seenUntilMs,
    evidence,
    confidence,
    createdAt,
  } = row;
  return {
    id,
    question: {
      id: question.id,
      session_id: question.sessionId,
      text: question.text,
      options: question.options,
      answer_type: question.answerType,
      ground_truth: question.groundTruth,
    },
    answer,
    thinking,
    finish_reason: finishReason,
    policy_version: policyVersion.name,
    usage: { prompt_tokens: promptTokens, completion_tokens: completionTokens },
    timings_ms: timingsMs,
    seen_until_ms: seenUntilMs,
    evidence_keyframe_ids: evidence,
    confidence,
    created_at: createdAt.toISOString(),
  };
}

export function viewWhole(row: WholeTrajectory): TrajectoryDto {
  const { source, durationMs, frameCount, warnings, keyframes } = row.question.session;
  return {
    ...viewSummary(row),
    prompt: row.prompt,
    prompt_token_ids: row.promptTokenIds,
    completion: row.completion,
    completion_token_ids: row.completionTokenIds,
    logprobs: row.logprobs,
    sampling: row.sampling,
    session: { source, duration_ms: durationMs, frame_count: frameCount, warnings },
    keyframes: keyframes.map(viewKeyframe),
    percepts: keyframes.flatMap(({ id, percept }) =>
      percept === null
        ? []
        : [{ keyframe_id: id, text: percept.text, perceiver: percept.perceiver, content: percept.content }],
    ),
  };
}
