import { SaccadeError } from '../errors/saccade-error.js';

/** Bytes before the picture; docs/protocol.md, "Frames". */
export const FRAME_HEADER_BYTES = 24;

const VERSION = 1;
const KEY_FRAME = 0b1;

export interface FrameMessage {
  sequence: number;
  timestampUs: number;
  isKey: boolean;
  picture: Buffer;
}

/** @throws SaccadeError frame_header_invalid; the picture itself is not looked at */
export function parseFrameMessage(message: Buffer): FrameMessage {
  if (message.length < FRAME_HEADER_BYTES)
    throw invalid('length', `has ${message.length} bytes; the header alone has ${FRAME_HEADER_BYTES}`);
  const version = message.readUInt8(0);
  if (version !== VERSION)
    throw invalid('version', `has version ${version}; this server reads version ${VERSION}`);
  const flags = message.readUInt8(1);
  if ((flags & ~KEY_FRAME) !== 0) throw invalid('flags', `has flags ${flags}; only bit 0 has a meaning`);
  const headerLength = message.readUInt16BE(2);
  if (headerLength !== FRAME_HEADER_BYTES)
    throw invalid(
      'header_length',
      `has header length ${headerLength}; version ${VERSION} has ${FRAME_HEADER_BYTES}`,
    );
  if (message.readUInt32BE(4) !== 0) throw invalid('reserved', 'has something in the reserved bytes');
  return {
    sequence: safeInteger(message, 8, 'sequence'),
    timestampUs: safeInteger(message, 16, 'timestamp'),
    isKey: (flags & KEY_FRAME) !== 0,
    picture: message.subarray(FRAME_HEADER_BYTES),
  };
}

function safeInteger(message: Buffer, at: number, field: string): number {
  const value = message.readBigUInt64BE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER))
    throw invalid(field, `has ${field} ${value}, which is 2^53 or more`);
  return Number(value);
}

function invalid(field: string, what: string): SaccadeError {
  return new SaccadeError(
    'input',
    'frame_header_invalid',
    `A frame message ${what}. See docs/protocol.md for the 24 bytes before the picture.`,
    { field },
  );
}
