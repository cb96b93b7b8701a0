import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { writeWhole } from '../../files/write-whole.js';
import { convertDetector } from './convert-detector.js';
import { readTfjsModel } from './tfjs-model.js';

/** Raised when the conversion changes, so that files of older versions are not used. */
const CONVERSION = 1;

/**
 * The shipped detector as an ONNX file in the data folder: converted at the first start, checked against its own
 * checksum at every later one, and made again when it does not hold.
 *
 * @returns path of the file
 */
export async function ensureDetector(dataDir: string): Promise<string> {
  const folder = join(dataDir, 'models');
  const path = join(folder, `centernet-${CONVERSION}.onnx`);
  if (await isWhole(path)) return path;
  await mkdir(folder, { recursive: true });
  const model = convertDetector(await readTfjsModel(shippedDetector()));
  await writeWhole(path, [model]);
  await writeWhole(checksumPath(path), [Buffer.from(sha256(model))]);
  return path;
}

/** The package exports only its code, so its models are found beside that. */
function shippedDetector(): string {
  const code = createRequire(import.meta.url).resolve('@vladmandic/human');
  return join(dirname(code), '..', 'models', 'centernet.json');
}

const checksumPath = (path: string) => `${path}.sha256`;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function isWhole(path: string): Promise<boolean> {
  try {
    const [model, checksum] = await Promise.all([readFile(path), readFile(checksumPath(path), 'utf8')]);
    return sha256(model) === checksum.trim();
  } catch {
    return false;
  }
}
