/** Kinds of picture that are read. */
export type ImageKind = 'jpeg' | 'png' | 'webp';

const DATA_URL = /^data:([^,;]*)(?:;[^,;]*)*,/i;

/**
 * The bytes of a base64 text or of a `data:` address; null when it is neither.
 * Line breaks and the URL-safe alphabet are taken too.
 */
export function decodeBase64(text: string): Buffer | null {
  const head = DATA_URL.exec(text.slice(0, 200))?.[0] ?? '';
  if (text.startsWith('data:') && !/;base64,$/i.test(head)) return null;
  const encoded = text.slice(head.length).replace(/\s+/g, '');
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(encoded)) return null;
  return Buffer.from(encoded, 'base64');
}

/** Bytes that a text of base64 can hold at most, without decoding it. */
export function base64Capacity(text: string): number {
  return Math.floor((text.length * 3) / 4);
}

/** What the first bytes say; null for anything that is not read, such as SVG, whose loaders are better left alone. */
export function imageKind(bytes: Uint8Array): ImageKind | null {
  const starts = (text: string, at = 0) =>
    Buffer.from(
      bytes.buffer,
      bytes.byteOffset + at,
      Math.min(text.length, Math.max(0, bytes.length - at)),
    ).toString('latin1') === text;
  if (starts('\xff\xd8\xff')) return 'jpeg';
  if (starts('\x89PNG\r\n\x1a\n')) return 'png';
  if (starts('RIFF') && starts('WEBP', 8)) return 'webp';
  return null;
}

/** Whether a PNG is an animation: an `acTL` chunk before the first `IDAT` (APNG). */
export function isAnimatedPng(bytes: Buffer): boolean {
  for (let at = 8; at + 8 <= bytes.length;) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'acTL') return true;
    if (type === 'IDAT') return false;
    at += 12 + bytes.readUInt32BE(at);
  }
  return false;
}
