import { writeWhole } from '../../../files/write-whole.js';
import { Weights } from '../models/weights.js';
import { narrowToBfloat16, narrowToFloat16 } from './float-formats.js';

export type StoredFormat = 'F32' | 'BF16' | 'F16';

export interface SafetensorsWriteOptions {
  /** Default F32. */
  format?: StoredFormat;
  metadata?: Record<string, string>;
}

/**
 * Writes a safetensors file so that a reader sees the old file or the whole new one: a temporary file beside it is
 * filled, flushed to the disk and renamed, then the directory entry is flushed too.
 */
export async function writeSafetensors(
  path: string,
  weights: Weights,
  options: SafetensorsWriteOptions = {},
): Promise<void> {
  const format = options.format ?? 'F32';
  await writeWhole(path, parts(weights, format, options.metadata ?? {}));
}

function* parts(
  weights: Weights,
  format: StoredFormat,
  metadata: Record<string, string>,
): Generator<Uint8Array> {
  yield encodeHeader(weights, format, metadata);
  for (const { data } of weights.values()) yield encodeTensor(data, format);
}

function encodeHeader(weights: Weights, format: StoredFormat, metadata: Record<string, string>): Uint8Array {
  const elementBytes = format === 'F32' ? 4 : 2;
  const header: Record<string, unknown> = Object.keys(metadata).length > 0 ? { __metadata__: metadata } : {};
  let offset = 0;
  for (const [name, { dims, data }] of weights) {
    const end = offset + data.length * elementBytes;
    header[name] = { dtype: format, shape: dims, data_offsets: [offset, end] };
    offset = end;
  }
  const json = Buffer.from(JSON.stringify(header), 'utf8');
  // Padded with spaces so that the tensors start on an 8-byte boundary, which mapping readers rely on.
  const length = Math.ceil(json.length / 8) * 8;
  const bytes = Buffer.alloc(8 + length, 0x20);
  bytes.writeBigUInt64LE(BigInt(length), 0);
  json.copy(bytes, 8);
  return bytes;
}

function encodeTensor(data: Float32Array, format: StoredFormat): Uint8Array {
  if (format === 'F32') return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const narrow = new Uint16Array(data.length);
  if (format === 'BF16') narrowToBfloat16(data, narrow);
  else narrowToFloat16(data, narrow);
  return new Uint8Array(narrow.buffer);
}
