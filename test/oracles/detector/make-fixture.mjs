// Writes test/fixtures/detector/tfjs.json: what TensorFlow.js makes of room.png with the detector as it was published.
//   npm install --prefix /tmp/tfjs @tensorflow/tfjs@4.22.0
//   npm run build && TFJS=/tmp/tfjs/node_modules/@tensorflow/tfjs node test/oracles/detector/make-fixture.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { stretch } from '../../../dist/src/perception/local/detect.js';

const require = createRequire(import.meta.url);
const tf = require(process.env.TFJS);
const folder = join(dirname(require.resolve('@vladmandic/human')), '..', 'models');
const fixtures = new URL('../../fixtures/detector/', import.meta.url);

const json = JSON.parse(readFileSync(join(folder, 'centernet.json'), 'utf8'));
const bytes = readFileSync(join(folder, 'centernet.bin'));
const model = await tf.loadGraphModel({
  load: async () => ({
    modelTopology: json.modelTopology,
    weightSpecs: json.weightsManifest.flatMap(({ weights }) => weights),
    weightData: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    format: json.format,
  }),
});

const { data, info } = await sharp(new URL('room.png', fixtures).pathname)
  .removeAlpha()
  .raw()
  .toBuffer({ resolveWithObject: true });
const side = { width: 512, height: 512 };
const planes = tf.tensor(stretch(data, info, side), [1, 3, 512, 512]);
const image = planes.transpose([0, 2, 3, 1]);
const [heat, sides] = await Promise.all(
  ['tower_0/keypoints', 'tower_0/wh'].map(async (name) => {
    const output = model.execute(image, name); // [1, 128, 128, channels]
    return output.transpose([0, 3, 1, 2]).data();
  }),
);

// [100, 6]: left, top, right, bottom in pixels of the input, score, class; in falling order of scores.
const rows = await model.execute(image, 'tower_0/detections').data();
const detections = Array.from({ length: 100 }, (_, i) => rows.slice(i * 6, i * 6 + 6)).filter(
  ([, , , , score]) => score >= 0.1,
);

// The strongest cells of every class, and cells spread over both maps.
const strongest = Array.from(heat, (value, at) => [at, value])
  .sort((a, b) => b[1] - a[1])
  .slice(0, 100);
const spread = (map) =>
  Array.from({ length: 300 }, (_, i) => Math.floor((i * map.length) / 300)).map((at) => [at, map[at]]);
const rounded = (cells) => cells.map(([at, value]) => [at, Number(value.toPrecision(7))]);
writeFileSync(
  new URL('tfjs.json', fixtures),
  `${JSON.stringify({
    heat: rounded([...strongest, ...spread(heat)]),
    sides: rounded(spread(sides)),
    detections: detections.map((row) => Array.from(row, (value) => Number(value.toPrecision(7)))),
  })}\n`,
);
