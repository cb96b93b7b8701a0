import { LiveSession } from '../sessions/live/live-session.js';

/** What a connection may send; see docs/protocol.md, "Limits". */
export interface StreamLimits {
  max_fps: number;
  max_bytes_per_s: number;
  frame_max_bytes: number;
  frame_max_pixels: number;
  queue_frames: number;
  max_questions: number;
}

export interface ReadyData {
  session_id: string;
  role: 'agent' | 'observer';
  /** Whether the session was there before. */
  resumed: boolean;
  /** Sequence from which on frames are taken. */
  next_sequence: number;
  credits: number;
  seen_until_ms: number;
  frame_count: number;
  keyframe_count: number;
  limits: StreamLimits;
}

export function readyData(
  session: LiveSession,
  role: 'agent' | 'observer',
  resumed: boolean,
  credits: number,
  limits: StreamLimits,
): ReadyData {
  return {
    session_id: session.id,
    role,
    resumed,
    next_sequence: session.nextSequence,
    credits,
    ...session.counts,
    limits,
  };
}
