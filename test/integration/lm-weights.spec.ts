import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectedWeights, Weights } from '../../src/lm/onnx/models/weights.js';
import { parseDecoderConfig } from '../../src/lm/onnx/models/decoder-config.js';
import { readModelDirectory } from '../../src/lm/onnx/weights/model-directory.js';
import { readModelWeights } from '../../src/lm/onnx/weights/model-weights.js';
import { readSafetensors, SafetensorsFile } from '../../src/lm/onnx/weights/safetensors-reader.js';
import { writeSafetensors } from '../../src/lm/onnx/weights/safetensors-writer.js';
import { makeTinyModel, tinyConfigJson, TinyModel } from '../support/tiny-model.js';

const WEIGHTS: Weights = new Map([
  ['a', { dims: [2, 3], data: Float32Array.of(0, -1.5, 3.25, 1e-3, 65504, -2) }],
  ['b', { dims: [1], data: Float32Array.of(0.1) }],
]);

/** A file of this header and `dataBytes` zeros. */
function fileOf(header: unknown, dataBytes: number): Buffer {
  const json = Buffer.from(typeof header === 'string' ? header : JSON.stringify(header));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(json.length));
  return Buffer.concat([length, json, Buffer.alloc(dataBytes)]);
}

describe('safetensors files', () => {
  let directory: string;
  let path: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'saccade-weights-'));
    path = join(directory, 'model.safetensors');
  });

  afterEach(() => rm(directory, { recursive: true, force: true }));

  it('gives back what was written', async () => {
    await writeSafetensors(path, WEIGHTS, { metadata: { format: 'pt' } });
    expect(await readSafetensors(path)).toEqual(WEIGHTS);
    const file = await SafetensorsFile.open(path);
    expect(file.header.metadata).toEqual({ format: 'pt' });
    await file.close();
  });

  it.each([
    ['BF16', 2 ** -8],
    ['F16', 2 ** -11],
  ] as const)('gives back %s within half a step of its precision', async (format, relative) => {
    await writeSafetensors(path, WEIGHTS, { format });
    const read = await readSafetensors(path);
    for (const [name, { data }] of WEIGHTS)
      data.forEach((value, i) =>
        expect(Math.abs((read.get(name)?.data[i] ?? NaN) - value)).toBeLessThanOrEqual(
          Math.abs(value) * relative,
        ),
      );
  });

  it('leaves no temporary file and replaces an older one whole', async () => {
    await writeSafetensors(path, new Map([['old', { dims: [1], data: Float32Array.of(1) }]]));
    await writeSafetensors(path, WEIGHTS);
    expect(await readdir(directory)).toEqual(['model.safetensors']);
    expect([...(await readSafetensors(path)).keys()]).toEqual(['a', 'b']);
  });

  const sound = { a: { dtype: 'F32', shape: [2], data_offsets: [0, 8] } };
  it.each([
    ['a file too short for a header', Buffer.alloc(5), /too few for a header/],
    [
      'a header longer than the file',
      Buffer.from([255, 0, 0, 0, 0, 0, 0, 0, 123]),
      /header claims 255 bytes/,
    ],
    ['an absurd header length', Buffer.alloc(64, 255), /header claims/],
    ['a header that is not JSON', fileOf('{"a":', 0), /not JSON/],
    ['a header that is a list', fileOf([], 0), /not a JSON object/],
    ['a file cut short', fileOf(sound, 4), /tensors end at byte/],
    ['bytes after the last tensor', fileOf(sound, 12), /tensors end at byte/],
    ['a size that its shape contradicts', fileOf({ a: { ...sound.a, shape: [3] } }, 8), /needs 12/],
    ['an unknown format', fileOf({ a: { ...sound.a, dtype: 'F13' } }, 8), /unknown format F13/],
    ['a negative size', fileOf({ a: { ...sound.a, shape: [-2] } }, 8), /no valid shape/],
    ['tensors that overlap', fileOf({ ...sound, b: { ...sound.a, data_offsets: [4, 12] } }, 12), /overlaps/],
    [
      'a gap between tensors',
      fileOf({ ...sound, b: { ...sound.a, data_offsets: [12, 20] } }, 20),
      /leaves a gap/,
    ],
    ['offsets in reverse', fileOf({ a: { ...sound.a, data_offsets: [8, 0] } }, 8), /no valid offsets/],
  ])('refuses %s', async (_, bytes, problem) => {
    await writeFile(path, bytes);
    await expect(readSafetensors(path)).rejects.toMatchObject({
      code: 'weights_corrupt',
      message: expect.stringMatching(problem),
    });
  });

  it('refuses whole numbers as weights by name', async () => {
    await writeFile(path, fileOf({ a: { dtype: 'I64', shape: [1], data_offsets: [0, 8] } }, 8));
    await expect(readSafetensors(path)).rejects.toMatchObject({
      code: 'weights_format',
      message: expect.stringContaining('I64'),
    });
  });
});

describe('the weights of a model directory', () => {
  let tiny: TinyModel;
  const expected = expectedWeights(parseDecoderConfig(tinyConfigJson));

  beforeEach(async () => {
    tiny = await makeTinyModel();
  });

  afterEach(() => tiny.remove());

  /** Splits the single file into two shards with an index. */
  async function shard(): Promise<void> {
    const names = [...tiny.weights.keys()];
    const weightMap: Record<string, string> = {};
    for (const [part, own] of [names.slice(0, 7), names.slice(7)].entries()) {
      const file = `model-0000${part + 1}-of-00002.safetensors`;
      await writeSafetensors(
        join(tiny.directory, file),
        new Map([...tiny.weights].filter(([name]) => own.includes(name))),
      );
      for (const name of own) weightMap[name] = file;
    }
    await writeFile(
      join(tiny.directory, 'model.safetensors.index.json'),
      JSON.stringify({ metadata: {}, weight_map: weightMap }),
    );
    await rm(join(tiny.directory, 'model.safetensors'));
  }

  it('are the same from one file and from shards', async () => {
    const single = await readModelWeights(tiny.directory, expected);
    await shard();
    expect(await readModelWeights(tiny.directory, expected)).toEqual(single);
    expect([...single.keys()]).toEqual([...expected.keys()]);
  });

  it('are refused when a shard is missing', async () => {
    await shard();
    await rm(join(tiny.directory, 'model-00002-of-00002.safetensors'));
    await expect(readModelWeights(tiny.directory, expected)).rejects.toMatchObject({
      code: 'weights_missing',
      message: expect.stringContaining('model-00002-of-00002.safetensors'),
    });
  });

  it('are refused when the index points out of the directory', async () => {
    await writeFile(
      join(tiny.directory, 'model.safetensors.index.json'),
      JSON.stringify({ weight_map: { a: '../other.safetensors' } }),
    );
    await expect(readModelWeights(tiny.directory, expected)).rejects.toMatchObject({
      code: 'weights_corrupt',
    });
  });

  it('are refused by name and shape when they are of another model', async () => {
    const wider = expectedWeights(parseDecoderConfig({ ...tinyConfigJson, intermediate_size: 65 }));
    await expect(readModelWeights(tiny.directory, wider)).rejects.toMatchObject({
      code: 'weights_mismatch',
      message: expect.stringMatching(
        /mlp\.gate_proj\.weight .* \[64, 32\], config.json calls for \[65, 32\]/,
      ),
    });
    const deeper = expectedWeights(parseDecoderConfig({ ...tinyConfigJson, num_hidden_layers: 3 }));
    await expect(readModelWeights(tiny.directory, deeper)).rejects.toMatchObject({ code: 'weights_missing' });
  });

  it('may hold tensors that the model does not use', async () => {
    const extra = new Map([
      ...tiny.weights,
      ['visual.patch', { dims: [1], data: Float32Array.of(1) }] as const,
    ]);
    await writeSafetensors(join(tiny.directory, 'model.safetensors'), extra);
    expect((await readModelWeights(tiny.directory, expected)).has('visual.patch')).toBe(false);
  });
});

describe('a model directory', () => {
  let tiny: TinyModel;

  beforeEach(async () => {
    tiny = await makeTinyModel();
  });

  afterEach(() => tiny.remove());

  const edit = async (name: string, change: (json: Record<string, unknown>) => unknown): Promise<void> => {
    const path = join(tiny.directory, name);
    await writeFile(
      path,
      JSON.stringify(change(JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>)),
    );
  };

  it('takes end tokens from every file that names some', async () => {
    await edit('generation_config.json', () => ({ eos_token_id: 256 }));
    await edit('config.json', (config) => ({ ...config, eos_token_id: [258] }));
    const { tokenizer } = await readModelDirectory(tiny.directory);
    expect([...tokenizer.endTokenIds].sort()).toEqual([256, 257, 258]);
  });

  it('prefers a chat template in a file of its own', async () => {
    await writeFile(join(tiny.directory, 'chat_template.jinja'), 'Q: {{ messages[0].content }}');
    const { tokenizer } = await readModelDirectory(tiny.directory);
    expect(tokenizer.decode(tokenizer.encodeChat([{ role: 'user', content: 'left?' }]))).toBe('Q: left?');
  });

  it.each([
    ['config.json', 'lacks config.json'],
    ['tokenizer.json', 'lacks tokenizer.json'],
  ])('is refused without %s', async (name, problem) => {
    await rm(join(tiny.directory, name));
    await expect(readModelDirectory(tiny.directory)).rejects.toMatchObject({
      code: 'model_directory_broken',
      message: expect.stringContaining(problem),
    });
  });

  it('is refused without a chat template, without end tokens, and with broken JSON', async () => {
    await edit('tokenizer_config.json', ({ eos_token: _, ...config }) => config);
    await edit('generation_config.json', () => ({}));
    await expect(readModelDirectory(tiny.directory)).rejects.toThrow('names no end token');
    await edit('tokenizer_config.json', ({ chat_template: _, ...config }) => config);
    await expect(readModelDirectory(tiny.directory)).rejects.toThrow('no chat template');
    await writeFile(join(tiny.directory, 'config.json'), '{');
    await expect(readModelDirectory(tiny.directory)).rejects.toThrow('config.json that is not JSON');
  });
});
