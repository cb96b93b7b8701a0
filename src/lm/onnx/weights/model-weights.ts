import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { SaccadeError } from '../../../errors/saccade-error.js';
import { Weights } from '../models/weights.js';
import { TensorEntry } from './safetensors-header.js';
import { SafetensorsFile } from './safetensors-reader.js';

const SINGLE_FILE = 'model.safetensors';
const SHARD_INDEX = 'model.safetensors.index.json';

/** Name → shape of every tensor that a model needs. */
export type ExpectedWeights = ReadonlyMap<string, readonly number[]>;

/**
 * Reads the expected tensors of a Hugging Face directory, in one file or in shards. Every header is checked against
 * the expectation before the first tensor is read, so a wrong directory fails in milliseconds and nothing is half
 * loaded. Tensors that are not expected (a vision tower, rotary tables) are left on the disk.
 */
export async function readModelWeights(directory: string, expected: ExpectedWeights): Promise<Weights> {
  const opened: SafetensorsFile[] = [];
  try {
    for (const name of await listWeightFiles(directory))
      opened.push(await SafetensorsFile.open(join(directory, name)));
    const located = locate(opened, expected, directory);
    const weights: Weights = new Map();
    for (const [name, { file, entry }] of located)
      weights.set(name, { dims: entry.shape, data: await file.read(entry) });
    return weights;
  } finally {
    for (const file of opened) await file.close();
  }
}

async function readText(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function listWeightFiles(directory: string): Promise<string[]> {
  const index = await readText(join(directory, SHARD_INDEX));
  if (index === null) return [SINGLE_FILE];
  const files = new Set<string>();
  try {
    const { weight_map: map } = JSON.parse(index) as { weight_map: Record<string, string> };
    for (const file of Object.values(map)) files.add(file);
  } catch (error) {
    throw new SaccadeError(
      'unprocessable',
      'weights_corrupt',
      `${join(directory, SHARD_INDEX)} is not a shard index. Copy the file again.`,
      { cause: error },
    );
  }
  for (const file of files)
    if (typeof file !== 'string' || basename(file) !== file || !file.endsWith('.safetensors'))
      throw new SaccadeError(
        'unprocessable',
        'weights_corrupt',
        `${join(directory, SHARD_INDEX)} names ${JSON.stringify(file)}, which is no file of that directory.`,
      );
  return [...files].sort();
}

interface Located {
  file: SafetensorsFile;
  entry: TensorEntry;
}

function locate(
  files: readonly SafetensorsFile[],
  expected: ExpectedWeights,
  directory: string,
): Map<string, Located> {
  const present = new Map<string, Located>();
  for (const file of files) for (const entry of file.header.entries) present.set(entry.name, { file, entry });
  const missing = [...expected.keys()].filter((name) => !present.has(name));
  if (missing.length > 0)
    throw new SaccadeError(
      'unprocessable',
      'weights_missing',
      `${directory} lacks ${missing.length} of ${expected.size} tensors that its config.json calls for, such as ${missing[0]}. Check that all weight files belong to this model.`,
    );
  const located = new Map<string, Located>();
  for (const [name, shape] of expected) {
    const found = present.get(name);
    if (found === undefined) continue;
    if (found.entry.shape.join() !== shape.join())
      throw new SaccadeError(
        'unprocessable',
        'weights_mismatch',
        `Tensor ${name} in ${found.file.path} has the shape [${found.entry.shape.join(', ')}], config.json calls for [${shape.join(', ')}]. Use the config.json that belongs to these weights.`,
      );
    located.set(name, found);
  }
  return located;
}
