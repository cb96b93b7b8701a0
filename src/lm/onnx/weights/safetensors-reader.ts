import { FileHandle, open } from 'node:fs/promises';
import { endianness } from 'node:os';
import { SaccadeError } from '../../../errors/saccade-error.js';
import { Weights } from '../models/weights.js';
import { widenBfloat16, widenFloat16 } from './float-formats.js';
import {
  corrupt,
  parseHeader,
  readHeaderLength,
  SafetensorsHeader,
  TensorEntry,
} from './safetensors-header.js';

// Node refuses a single read of 2 GiB and more.
const MAX_READ_BYTES = 1 << 30;

/** An open safetensors file whose header was found sound; tensors are read one at a time, so the file is never held twice. */
export class SafetensorsFile {
  private constructor(
    readonly path: string,
    readonly header: SafetensorsHeader,
    private readonly handle: FileHandle,
  ) {}

  static async open(path: string): Promise<SafetensorsFile> {
    if (endianness() !== 'LE')
      throw new SaccadeError(
        'internal',
        'big_endian',
        'Weights can only be read on a little-endian machine.',
      );
    let handle: FileHandle;
    try {
      handle = await open(path, 'r');
    } catch (error) {
      throw new SaccadeError(
        'unprocessable',
        'weights_missing',
        `The weights file ${path} cannot be opened. Check that the model directory is complete.`,
        { cause: error },
      );
    }
    try {
      const { size } = await handle.stat();
      const prefix = await readBytes(handle, 0, Math.min(8, size), path);
      const headerBytes = readHeaderLength(prefix, size, path);
      const json = Buffer.from(await readBytes(handle, 8, headerBytes, path)).toString('utf8');
      return new SafetensorsFile(path, parseHeader(json, headerBytes, size, path), handle);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** The tensor as float32, whatever 32- or 16-bit float it is stored in. */
  async read(entry: TensorEntry): Promise<Float32Array> {
    const count = entry.shape.reduce((product, size) => product * size, 1);
    const bytes = await readBytes(this.handle, entry.offsetBytes, entry.lengthBytes, this.path);
    if (entry.dtype === 'F32') return new Float32Array(bytes.buffer, 0, count);
    const target = new Float32Array(count);
    if (entry.dtype === 'BF16') widenBfloat16(new Uint16Array(bytes.buffer, 0, count), target);
    else if (entry.dtype === 'F16') widenFloat16(new Uint16Array(bytes.buffer, 0, count), target);
    else
      throw new SaccadeError(
        'unsupported',
        'weights_format',
        `Tensor ${entry.name} in ${this.path} is stored as ${entry.dtype}; F32, F16 and BF16 can be read.`,
      );
    return target;
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

/** All tensors of one file. */
export async function readSafetensors(path: string): Promise<Weights> {
  const file = await SafetensorsFile.open(path);
  try {
    const weights: Weights = new Map();
    for (const entry of file.header.entries)
      weights.set(entry.name, { dims: entry.shape, data: await file.read(entry) });
    return weights;
  } finally {
    await file.close();
  }
}

/** Reads into a buffer of its own, aligned for typed arrays. */
async function readBytes(
  handle: FileHandle,
  start: number,
  length: number,
  path: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(new ArrayBuffer(length));
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(
      bytes,
      done,
      Math.min(length - done, MAX_READ_BYTES),
      start + done,
    );
    if (bytesRead === 0) throw corrupt(path, `it ends at byte ${start + done}`);
    done += bytesRead;
  }
  return bytes;
}
