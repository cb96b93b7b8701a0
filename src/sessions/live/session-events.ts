import { Problem } from '../../http/problem.js';
import { KeyframeView, PerceptView } from '../../reason/keyframe-json.js';
import { AnswerView } from '../../reason/reason-events.js';

export interface AckData {
  sequence: number;
  timestamp_ms: number;
  kept: boolean;
  reason: string;
  overlap_ratio: number | null;
  /** Frames that may be on their way without an answer. */
  credits: number;
}

export interface StreamedKeyframe extends KeyframeView {
  sequence: number;
}

export interface StreamedPercept extends PerceptView {
  sequence: number;
  index: number;
  timestamp_ms: number;
}

export interface ThrottleData {
  reason: 'queue' | 'frame_rate' | 'byte_rate';
  /** Sequences of frames that were dropped. */
  dropped: number[];
  dropped_total: number;
  credits: number;
}

export interface WaitData {
  question_id: string;
  decision: 'wait' | 'silent';
  candidate: string | number | null;
  confidence: number;
  seen_until_ms: number;
}

export interface StreamedAnswer extends AnswerView {
  question_id: string;
  /** Share of the sampled completions that agreed; null for a question that did not stand. */
  confidence: number | null;
}

export interface QuestionEnded {
  question_id: string;
  reason: 'cancelled' | 'expired' | 'session_closed';
}

export interface SessionClosed {
  session_id: string;
  reason: 'closed' | 'too_old' | 'left' | 'deleted' | 'server_stopping' | 'failed';
  frame_count: number;
  keyframe_count: number;
  seen_until_ms: number;
}

export interface StreamError extends Problem {
  sequence?: number;
  question_id?: string;
}

/** What happens in a live session, in order; the events of docs/protocol.md. */
export interface SessionEvents {
  ack: AckData;
  keyframe: StreamedKeyframe;
  percept: StreamedPercept;
  'question.accepted': { question_id: string; moment_ms: number };
  'answer.delta': { question_id: string; part: 'thinking' | 'answer'; text: string };
  'answer.wait': WaitData;
  answer: StreamedAnswer;
  'question.ended': QuestionEnded;
  throttle: ThrottleData;
  error: StreamError;
  'session.closed': SessionClosed;
}

export type SessionEvent = {
  [Name in keyof SessionEvents]: { event: Name; data: SessionEvents[Name] };
}[keyof SessionEvents];

/** @param thumbnail of a keyframe, JPEG */
export type SessionListener = (event: SessionEvent, thumbnail?: Buffer) => void;
