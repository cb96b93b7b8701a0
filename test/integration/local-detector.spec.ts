import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ort from 'onnxruntime-node';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { GraphBuilder } from '../../src/lm/onnx/graph/graph-builder.js';
import { COCO_CLASSES } from '../../src/perception/local/coco-classes.js';
import { ObjectDetector, stretch } from '../../src/perception/local/detect.js';
import { ensureDetector } from '../../src/perception/local/detector-file.js';
import { LocalPerceiver } from '../../src/perception/local/local-perceiver.js';
import { folderForFile, temporaryFolder } from '../support/temporary-folder.js';

const fixtures = new URL('../fixtures/detector/', import.meta.url);
const TFJS = JSON.parse(readFileSync(new URL('tfjs.json', fixtures), 'utf8')) as Record<
  'heat' | 'sides',
  [at: number, value: number][]
>;
const dataDir = folderForFile();
let path: string;
let picture: { data: Buffer; info: { width: number; height: number } };

beforeAll(async () => {
  path = await ensureDetector(dataDir);
  picture = await sharp(new URL('room.png', fixtures).pathname)
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
});

describe('the converted detector', () => {
  it('gives what TensorFlow.js gives with the original', async () => {
    const session = await ort.InferenceSession.create(path);
    const image = new ort.Tensor(
      'float32',
      stretch(picture.data, picture.info, { width: 512, height: 512 }),
      [1, 3, 512, 512],
    );
    const outputs = await session.run({ image });
    for (const name of ['heat', 'sides'] as const) {
      const values = outputs[name]!.data as Float32Array;
      const scale = Math.max(...TFJS[name].map(([, value]) => Math.abs(value)));
      for (const [at, value] of TFJS[name]) expect(Math.abs(values[at]! - value) / scale).toBeLessThan(1e-3);
    }
  });

  it('finds what stands in a rendered room', async () => {
    const detector = await ObjectDetector.load(path, 0.3);
    const { width, height } = picture.info;
    const found = await detector.detect(picture.data, width, height);
    expect(found.map(({ classIndex }) => COCO_CLASSES[classIndex])).toContain('chair');
    for (const { left, top, right, bottom } of found) {
      expect(right > left && bottom > top).toBe(true);
      expect([left, top, right, bottom].every((side) => side >= 0 && side <= 1)).toBe(true);
    }
  });
});

describe('its file', () => {
  it('is made once, also by servers that start at the same time', async () => {
    const folder = temporaryFolder();
    const paths = await Promise.all([ensureDetector(folder), ensureDetector(folder), ensureDetector(folder)]);
    expect(new Set(paths).size).toBe(1);
    expect(readdirSync(join(folder, 'models'))).toHaveLength(2); // the model and its checksum
    expect(readFileSync(paths[0]!).equals(readFileSync(path))).toBe(true);
  });

  it('is made again when it was damaged', async () => {
    const folder = temporaryFolder();
    const whole = readFileSync(await ensureDetector(folder));
    const file = join(
      folder,
      'models',
      readdirSync(join(folder, 'models')).find((name) => name.endsWith('.onnx'))!,
    );
    writeFileSync(file, whole.subarray(0, whole.length / 2));
    expect(readFileSync(await ensureDetector(folder)).equals(whole)).toBe(true);
  });
});

describe('another detector', () => {
  const load = (detectorPath: string) => LocalPerceiver.load({ detectorPath, minScore: 0.3, hfovDeg: 75 });

  it('may give boxes, scores and labels', async () => {
    const graph = new GraphBuilder('boxes');
    const image = graph.input('image', 'float32', [1, 3, 48, 64]);
    // Any use of the picture will do; the boxes are fixed.
    const mean = graph.node('ReduceMean', [image], { attributes: { keepdims: 0 } });
    const nothing = graph.node('Mul', [mean, graph.scalar(0)]);
    const fixed = (name: string, values: number[], dims: number[]) => {
      const data = Float32Array.from(values);
      return graph.node('Add', [graph.initializer(`${name}_fixed`, { dims, data }), nothing], { name });
    };
    graph.output('boxes', fixed('boxes', [16, 12, 48, 36], [1, 4]), 'float32', [1, 4]);
    graph.output('scores', fixed('scores', [0.9], [1]), 'float32', [1]);
    graph.output('labels', fixed('labels', [COCO_CLASSES.indexOf('tv')], [1]), 'float32', [1]);
    const file = join(temporaryFolder(), 'boxes.onnx');
    writeFileSync(file, graph.build());
    const detector = await ObjectDetector.load(file, 0.3);
    expect(await detector.detect(new Uint8Array(30 * 20 * 3), 30, 20)).toMatchObject([
      { left: 0.25, top: 0.25, right: 0.75, bottom: 0.75, classIndex: COCO_CLASSES.indexOf('tv') },
    ]);
  });

  it('that is not there, no ONNX, or no detector stops the start and says why', async () => {
    const folder = temporaryFolder();
    mkdirSync(folder, { recursive: true });
    const [text, other] = [join(folder, 'text.onnx'), join(folder, 'other.onnx')];
    writeFileSync(text, 'no model');
    const graph = new GraphBuilder('other');
    graph.output(
      'y',
      graph.node('Relu', [graph.input('image', 'float32', [1, 3, 8, 8])], { name: 'y' }),
      'float32',
      [1, 3, 8, 8],
    );
    writeFileSync(other, graph.build());
    await expect(load(join(folder, 'none.onnx'))).rejects.toThrow(/detector failed.*none\.onnx/s);
    await expect(load(text)).rejects.toThrow(/detector failed/);
    await expect(load(other)).rejects.toThrow(
      /gives y; it must give boxes, scores and labels, or heat and sides/,
    );
  });
});
