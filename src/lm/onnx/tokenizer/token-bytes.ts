import { SaccadeError } from '../../../errors/saccade-error.js';

/** The parts of `tokenizer.json` that decide what bytes a token stands for. */
export interface TokenizerJson {
  added_tokens?: { id: number; content: string; special?: boolean; normalized?: boolean }[];
  decoder?: DecoderJson | null;
  model: { vocab?: unknown; [key: string]: unknown };
  [key: string]: unknown;
}

interface DecoderJson {
  type: string;
  decoders?: DecoderJson[];
}

/** How ordinary tokens spell bytes. */
export type TokenSpelling =
  | 'byte-level' // each character stands for one byte (GPT-2, Qwen, Llama 3)
  | 'sentencepiece'; // ▁ is a space, <0xE2> a byte (Llama 2)

/**
 * GPT-2's reversible alphabet: printable Latin-1 characters stand for their own byte, the other bytes are
 * numbered upwards from U+0100 in order.
 */
const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = (() => {
  const map = new Map<string, number>();
  let next = 0x100;
  for (let byte = 0; byte < 256; byte++) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    map.set(String.fromCharCode(printable ? byte : next++), byte);
  }
  return map;
})();

const encoder = new TextEncoder();

/** The spelling that a tokenizer's decoder undoes. */
export function spellingOf(decoder: DecoderJson | null | undefined): TokenSpelling {
  const types = decoder ? [decoder.type, ...(decoder.decoders ?? []).map((d) => d.type)] : [];
  if (types.includes('ByteLevel')) return 'byte-level';
  if (types.includes('ByteFallback') || types.includes('Metaspace')) return 'sentencepiece';
  throw new SaccadeError(
    'unsupported',
    'tokenizer_unsupported',
    `The tokenizer's decoder ${types.join(', ') || '(none)'} is not supported; ByteLevel, ByteFallback and Metaspace are.`,
  );
}

/** The bytes that an ordinary token adds to the text. They may be part of a character. */
export function bytesOfToken(token: string, spelling: TokenSpelling): Uint8Array {
  if (spelling === 'sentencepiece') {
    const byte = /^<0x([0-9A-Fa-f]{2})>$/.exec(token);
    return byte ? Uint8Array.of(parseInt(byte[1], 16)) : encoder.encode(token.replaceAll('▁', ' '));
  }
  const bytes: number[] = [];
  for (const character of token) {
    const byte = BYTE_OF_CHARACTER.get(character);
    if (byte === undefined) return encoder.encode(token);
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}
