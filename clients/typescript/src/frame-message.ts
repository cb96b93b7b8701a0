/** Bytes before the picture. */
export const FRAME_HEADER_BYTES = 24;

export interface FrameHeader {
  /** Rises from frame to frame. */
  sequence: number;
  /** Capture time on any clock that does not jump. */
  timestampUs: number;
  /** Dropped last when frames must be dropped. */
  key?: boolean;
}

const VERSION = 1;

/** The header and the encoded picture (JPEG, PNG or WebP) as one binary message. */
export function encodeFrame(
  { sequence, timestampUs, key = false }: FrameHeader,
  picture: Uint8Array,
): Uint8Array {
  const message = new Uint8Array(FRAME_HEADER_BYTES + picture.length);
  const header = new DataView(message.buffer);
  header.setUint8(0, VERSION);
  header.setUint8(1, key ? 1 : 0);
  header.setUint16(2, FRAME_HEADER_BYTES);
  header.setBigUint64(8, BigInt(sequence));
  header.setBigUint64(16, BigInt(Math.round(timestampUs)));
  message.set(picture, FRAME_HEADER_BYTES);
  return message;
}
