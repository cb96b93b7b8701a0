/** RFC 9457 problem details, as the server tells errors. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  /** What is wrong, and what to do. */
  detail: string;
  /** Stable, such as `frame_repeated`. */
  code: string;
  field?: string;
  limit?: number | string;
  upstream?: string;
  retryable: boolean;
}

export interface Keyframe {
  id: string;
  /** Position among the keyframes. */
  index: number;
  sequence: number;
  timestamp_ms: number;
  /** Why it was kept: `first`, `low_overlap`, `lost_track`, `max_gap`, `question` or `last`. */
  reason: string;
  overlap_ratio: number | null;
  match_count: number;
  inlier_count: number;
  /** Path on the server. */
  image_url: string;
  /** A small picture as a data URL, for observers that asked for it. */
  thumbnail?: string;
}

export interface Percept {
  keyframe_id: string;
  index: number;
  sequence: number;
  timestamp_ms: number;
  text: string;
  for_question: string | null;
  actions: { action: string; degrees: number | null }[];
  objects: {
    name: string;
    colour: string | null;
    bearing: string;
    distance: string;
    is_new: boolean;
    score: number | null;
  }[];
  gone: string[];
  contradiction: { claimed: string; measured: { action: string; degrees: number | null } } | null;
  cached: boolean;
}

export interface Answer {
  question_id: string;
  /** Share of the sampled completions that agreed; null for a question that did not stand. */
  confidence: number | null;
  trajectory_id: string;
  session_id: string;
  /** Option letter, number or text; null when the model gave none that can be read. */
  answer: string | number | null;
  answer_text: string | null;
  thinking: string;
  finish_reason: string;
  problem: string | null;
  evidence_keyframe_ids: string[];
  keyframes: Omit<Keyframe, 'sequence' | 'thumbnail'>[];
  percepts: Omit<Percept, 'sequence' | 'index' | 'timestamp_ms'>[];
  policy_version: string;
  usage: {
    prompt_tokens: number;
    completion_tokens: number;
    perception_prompt_tokens: number;
    perception_completion_tokens: number;
  };
  timings_ms: Record<string, number>;
  /** Everything until then was seen. */
  seen_until_ms: number;
  warnings: string[];
}

export interface SessionReady {
  session_id: string;
  role: 'agent' | 'observer';
  resumed: boolean;
  next_sequence: number;
  credits: number;
  seen_until_ms: number;
  frame_count: number;
  keyframe_count: number;
  limits: {
    max_fps: number;
    max_bytes_per_s: number;
    frame_max_bytes: number;
    frame_max_pixels: number;
    queue_frames: number;
    max_questions: number;
  };
}

export interface Ack {
  sequence: number;
  timestamp_ms: number;
  kept: boolean;
  reason: string;
  overlap_ratio: number | null;
  credits: number;
}

export interface Throttle {
  reason: 'queue' | 'frame_rate' | 'byte_rate';
  dropped: number[];
  dropped_total: number;
  credits: number;
}

export interface AnswerDelta {
  question_id: string;
  part: 'thinking' | 'answer';
  text: string;
}

export interface AnswerWait {
  question_id: string;
  decision: 'wait' | 'silent';
  candidate: string | number | null;
  confidence: number;
  seen_until_ms: number;
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

/** What the server sends, by the name of the event. */
export interface ServerEvents {
  'session.ready': SessionReady;
  ack: Ack;
  keyframe: Keyframe;
  percept: Percept;
  'question.accepted': { question_id: string; moment_ms: number };
  'answer.delta': AnswerDelta;
  'answer.wait': AnswerWait;
  answer: Answer;
  'question.ended': QuestionEnded;
  throttle: Throttle;
  error: Problem & { sequence?: number; question_id?: string };
  'session.closed': SessionClosed;
  pong: { nonce: string | null };
}

export type ServerEventName = keyof ServerEvents;

/** One event with its data. */
export type ServerEvent = {
  [Name in ServerEventName]: { event: Name; data: ServerEvents[Name] };
}[ServerEventName];

export interface Question {
  question: string;
  options?: readonly string[];
  answer_type?: 'choice' | 'number' | 'text';
  /** Kept for training, never shown to the model. */
  ground_truth?: string;
  temperature?: number;
  seed?: number;
  /** How long to wait for what is on its way. */
  deadline_ms?: number;
  /** `wait` for a question that stands until the model is confident. */
  mode?: 'now' | 'wait';
  /** Answers that end the waiting. */
  until?: readonly string[];
  min_confidence?: number;
  timeout_ms?: number;
}

/** What the client sends, by the name of the event. */
export interface ClientEvents {
  'session.open': Record<string, never>;
  'session.resume': { session_id: string };
  'session.observe': { session_id: string; thumbnails?: boolean; token?: string };
  'session.close': Record<string, never>;
  ask: Question & { question_id: string };
  cancel: { question_id: string };
  ping: { nonce?: string };
}
