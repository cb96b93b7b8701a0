import { SaccadeError } from '../../../errors/saccade-error.js';

/** Bytes that one element of each format of the safetensors specification takes. */
const ELEMENT_BYTES: Readonly<Record<string, number>> = {
  F64: 8,
  F32: 4,
  F16: 2,
  BF16: 2,
  I64: 8,
  I32: 4,
  I16: 2,
  I8: 1,
  U64: 8,
  U32: 4,
  U16: 2,
  U8: 1,
  BOOL: 1,
  F8_E4M3: 1,
  F8_E5M2: 1,
};

/** The specification's bound; a larger one is a sign of a file that is something else. */
const MAX_HEADER_BYTES = 100_000_000;

/** A tensor's place in a file. */
export interface TensorEntry {
  name: string;
  dtype: string;
  shape: number[];
  /** From the start of the file. */
  offsetBytes: number;
  lengthBytes: number;
}

export interface SafetensorsHeader {
  entries: TensorEntry[];
  metadata: Record<string, string>;
}

export function corrupt(file: string, problem: string, cause?: unknown): SaccadeError {
  return new SaccadeError(
    'unprocessable',
    'weights_corrupt',
    `${file} is not a sound safetensors file: ${problem}. Copy the file again.`,
    {
      cause,
    },
  );
}

/** Length of the JSON header that the file's first 8 bytes announce. */
export function readHeaderLength(prefix: Uint8Array, fileBytes: number, file: string): number {
  if (fileBytes < 8 || prefix.length < 8)
    throw corrupt(file, `it has ${fileBytes} bytes, too few for a header`);
  const length = new DataView(prefix.buffer, prefix.byteOffset, 8).getBigUint64(0, true);
  if (length > MAX_HEADER_BYTES || Number(length) + 8 > fileBytes)
    throw corrupt(file, `its header claims ${length} bytes, the file has ${fileBytes}`);
  return Number(length);
}

/**
 * Checks the whole header before any tensor is read: known formats, sizes that follow from the shapes, and
 * tensors that fill the file without gap or overlap, as the specification demands.
 */
export function parseHeader(
  json: string,
  headerBytes: number,
  fileBytes: number,
  file: string,
): SafetensorsHeader {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (error) {
    throw corrupt(file, 'its header is not JSON', error);
  }
  if (!isRecord(parsed)) throw corrupt(file, 'its header is not a JSON object');
  const dataStart = 8 + headerBytes;
  const entries: TensorEntry[] = [];
  let metadata: Record<string, string> = {};
  for (const [name, value] of Object.entries(parsed)) {
    if (name === '__metadata__') metadata = parseMetadata(value, file);
    else entries.push(parseEntry(name, value, dataStart, file));
  }
  entries.sort((a, b) => a.offsetBytes - b.offsetBytes || a.lengthBytes - b.lengthBytes);
  let end = dataStart;
  for (const entry of entries) {
    if (entry.offsetBytes !== end)
      throw corrupt(file, `tensor ${entry.name} leaves a gap or overlaps its neighbour`);
    end += entry.lengthBytes;
  }
  if (end !== fileBytes) throw corrupt(file, `its tensors end at byte ${end}, the file has ${fileBytes}`);
  return { entries, metadata };
}

function parseEntry(name: string, value: unknown, dataStart: number, file: string): TensorEntry {
  if (!isRecord(value)) throw corrupt(file, `tensor ${name} is not described by an object`);
  const { dtype, shape, data_offsets: offsets } = value;
  if (typeof dtype !== 'string' || !(dtype in ELEMENT_BYTES))
    throw corrupt(file, `tensor ${name} has the unknown format ${String(dtype)}`);
  if (!isSizes(shape)) throw corrupt(file, `tensor ${name} has no valid shape`);
  if (!isSizes(offsets) || offsets.length !== 2 || offsets[1] < offsets[0])
    throw corrupt(file, `tensor ${name} has no valid offsets`);
  const lengthBytes = offsets[1] - offsets[0];
  const expected = shape.reduce((product, size) => product * size, ELEMENT_BYTES[dtype]);
  if (lengthBytes !== expected)
    throw corrupt(
      file,
      `tensor ${name} takes ${lengthBytes} bytes, its shape [${shape.join(', ')}] as ${dtype} needs ${expected}`,
    );
  return { name, dtype, shape, offsetBytes: dataStart + offsets[0], lengthBytes };
}

function parseMetadata(value: unknown, file: string): Record<string, string> {
  if (!isRecord(value) || Object.values(value).some((v) => typeof v !== 'string'))
    throw corrupt(file, 'its metadata is not a map of texts');
  return value as Record<string, string>;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isSizes(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
}
