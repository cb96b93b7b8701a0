import { execFile } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import ort from 'onnxruntime-node';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { GraphBuilder } from '../../src/lm/onnx/graph/graph-builder.js';
import { COCO_CLASSES } from '../../src/perception/local/coco-classes.js';
import { ObjectDetector, stretch } from '../../src/perception/local/detect.js';
import { ensureDetector } from '../../src/perception/local/detector-file.js';
import { LocalPerceiver } from '../../src/perception/local/local-perceiver.js';
import { Detection, overlap } from '../../src/perception/local/peaks.js';
import { plainKeyframe } from '../support/keyframe-images.js';
import { folderForFile, temporaryFolder } from '../support/temporary-folder.js';

const fixtures = new URL('../fixtures/detector/', import.meta.url);
const TFJS = JSON.parse(readFileSync(new URL('tfjs.json', fixtures), 'utf8')) as Record<
  'heat' | 'sides',
  [at: number, value: number][]
> & {
  detections: [left: number, top: number, right: number, bottom: number, score: number, label: number][];
};
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

  it('gives the boxes that the original picks, each object once', async () => {
    const original = TFJS.detections.map(([left, top, right, bottom, score, classIndex]): Detection => {
      const share = (pixels: number) => Math.min(1, Math.max(0, pixels / 512));
      return {
        classIndex,
        score,
        left: share(left),
        top: share(top),
        right: share(right),
        bottom: share(bottom),
      };
    });
    const { width, height } = picture.info;
    const found = await (await ObjectDetector.load(path, 0.1)).detect(picture.data, width, height);
    const isSame = (a: Detection, b: Detection) =>
      a.classIndex === b.classIndex && overlap(a, b) > 0.99 && Math.abs(a.score - b.score) < 1e-3;
    expect(found.filter((box) => !original.some((other) => isSame(box, other)))).toEqual([]);
    // The original tells an object as often as it has peaks.
    const isTold = (box: Detection) =>
      found.some(
        (other) => isSame(other, box) || (other.classIndex === box.classIndex && overlap(other, box) > 0.5),
      );
    expect(original.filter((box) => !isTold(box))).toEqual([]);
    expect(found.length).toBeGreaterThan(original.length / 2);
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

  it('is made whole by processes that start at the same time', async () => {
    const folder = temporaryFolder();
    const built = new URL('../../dist/src/perception/local/detector-file.js', import.meta.url).href;
    const script = `const { ensureDetector } = await import(${JSON.stringify(built)});
      process.stdout.write(await ensureDetector(${JSON.stringify(folder)}));`;
    const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
    const [one, other] = await Promise.all([run(), run()]);
    expect(one.stdout).toBe(other.stdout);
    expect(readFileSync(one.stdout).equals(readFileSync(path))).toBe(true);
    expect(readdirSync(join(folder, 'models'))).toHaveLength(2);
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
    const file = fixedDetector({
      boxes: { dims: [1, 4], values: [16, 12, 48, 36] },
      scores: { dims: [1], values: [0.9] },
      labels: { dims: [1], values: [COCO_CLASSES.indexOf('tv')] },
    });
    const detector = await ObjectDetector.load(file, 0.3);
    expect(await detector.detect(new Uint8Array(30 * 20 * 3), 30, 20)).toMatchObject([
      { left: 0.25, top: 0.25, right: 0.75, bottom: 0.75, classIndex: COCO_CLASSES.indexOf('tv') },
    ]);
    const perceiver = await load(file);
    const keyframe = await plainKeyframe(0, { r: 200, g: 30, b: 30 });
    const { signal } = new AbortController();
    const { percept } = await perceiver.perceive({ keyframe, previous: null, steps: [], signal });
    await perceiver.close();
    expect(percept.text).toBe('red tv ahead, near');
  });

  it('is known by its content, whatever its name', async () => {
    const tv = (score: number) =>
      fixedDetector({
        boxes: { dims: [1, 4], values: [16, 12, 48, 36] },
        scores: { dims: [1], values: [score] },
        labels: { dims: [1], values: [0] },
      });
    const versions = await Promise.all(
      [tv(0.9), tv(0.8), tv(0.9)].map(async (file) => {
        const perceiver = await load(file);
        await perceiver.close();
        return perceiver.version;
      }),
    );
    expect(versions[0]).toBe(versions[2]);
    expect(versions[0]).not.toBe(versions[1]);
  });

  const BOXES = { dims: [1, 4], values: [16, 12, 48, 36] };
  const ONE = { dims: [1], values: [0.9] };
  it.each<[string, () => string, RegExp]>([
    [
      'is not there',
      () => join(temporaryFolder(), 'none.onnx'),
      /none\.onnx cannot be used: it cannot be read/,
    ],
    ['is a folder', () => temporaryFolder(), /cannot be read \(EISDIR/],
    ['is no ONNX', () => fileWith('no model'), /cannot be used: .*Protobuf parsing failed/],
    [
      'gives something else',
      () => fixedDetector({ logits: ONE }),
      /gives logits; it must give boxes, scores and labels, or heat and sides/,
    ],
    [
      'takes pictures of any size',
      () => fixedDetector({ boxes: BOXES, scores: ONE, labels: ONE }, [1, 3, 0, 0]),
      /one float32 input, image, of fixed shape.* takes image float32/,
    ],
    [
      'gives fewer boxes than labels',
      () => fixedDetector({ boxes: BOXES, scores: ONE, labels: { dims: [2], values: [1, 2] } }),
      /boxes must be float32 with 8 values for as many labels, and is float32 \[1, 4\]/,
    ],
    [
      'gives maps of other classes',
      () =>
        fixedDetector(
          {
            heat: { dims: [1, 1, 1, 2], values: [0, 0] },
            sides: { dims: [1, 1, 1, 4], values: [0, 0, 0, 0] },
          },
          [1, 3, 512, 512],
        ),
      /heat must be float32 \[1, 80, 128, 128\], and is float32 \[1, 1, 1, 2\]/,
    ],
  ])('that %s stops the start, says why and names the setting', async (_, file, why) => {
    const refused = load(file());
    await expect(refused).rejects.toMatchObject({ name: 'SaccadeError', code: 'detector_unusable' });
    await expect(refused).rejects.toThrow(why);
    await expect(refused).rejects.toThrow(/DETECTOR_MODEL/);
  });
});

function fileWith(content: string | Uint8Array): string {
  const file = join(temporaryFolder(), 'detector.onnx');
  writeFileSync(file, content);
  return file;
}

/** A model that gives the same whatever it sees. */
function fixedDetector(
  outputs: Record<string, { dims: number[]; values: number[] }>,
  input: number[] = [1, 3, 48, 64],
): string {
  const graph = new GraphBuilder('fixed');
  const image = graph.input('image', 'float32', input[2] === 0 ? [1, 3, 'height', 'width'] : input);
  // Any use of the picture will do.
  const mean = graph.node('ReduceMean', [image], { attributes: { keepdims: 0 } });
  const nothing = graph.node('Mul', [mean, graph.scalar(0)]);
  for (const [name, { dims, values }] of Object.entries(outputs)) {
    const fixed = graph.initializer(`${name}_fixed`, { dims, data: Float32Array.from(values) });
    graph.output(name, graph.node('Add', [fixed, nothing], { name }), 'float32', dims);
  }
  return fileWith(graph.build());
}
