export { AskedQuestion, type AnswerProgress } from './asked-question.js';
export { SaccadeClientError } from './client-error.js';
export { type ReconnectOptions } from './backoff.js';
export { type ConnectionOptions, type ConnectionState } from './connection.js';
export * from './events.js';
export { encodeFrame, FRAME_HEADER_BYTES, type FrameHeader } from './frame-message.js';
export { type FrameOutcome, type SentFrame } from './outbox.js';
export { SaccadeStream, type FrameOptions, type StreamOptions } from './saccade-stream.js';
