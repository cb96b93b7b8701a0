export { AskedQuestion, type AnswerProgress } from './asked-question.js';
export { SaccadeClientError } from './client-error.js';
export { type ReconnectOptions } from './backoff.js';
export { type ConnectionOptions, type ConnectionState } from './connection.js';
export * from './events.js';
export { encodeFrame, FRAME_HEADER_BYTES, type FrameHeader } from './frame-message.js';
export {
  SaccadeStream,
  type FrameOptions,
  type FrameOutcome,
  type SentFrame,
  type StreamOptions,
} from './saccade-stream.js';
