import { Frame } from '../frames/frame.js';
import { KeyframeDecision } from './keyframe-selector.js';

/** Pool → worker. */
export type WorkerRequest =
  | { kind: 'decide'; requestId: number; selectorId: number; frame: Frame }
  | { kind: 'keepNewest'; selectorId: number }
  | { kind: 'forget'; selectorId: number };

/** Worker → pool, one for each `decide`. */
export type WorkerReply =
  | { kind: 'decided'; requestId: number; decision: KeyframeDecision }
  | { kind: 'failed'; requestId: number; message: string; stack: string | undefined };
