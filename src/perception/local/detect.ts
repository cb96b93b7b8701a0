import ort from 'onnxruntime-node';
import { CLASS_COUNT, INPUT_SIDE, MAP_SIDE } from './convert-detector.js';
import { Detection, findPeaks } from './peaks.js';
import { readBoxes } from './read-boxes.js';

/** Reads a model's outputs as detections. */
type ReadOutputs = (outputs: ort.InferenceSession.OnnxValueMapType, minScore: number) => Detection[];

/** Finds objects in a picture; blocks the thread that calls it while the model runs. */
export class ObjectDetector {
  private constructor(
    private readonly session: ort.InferenceSession,
    private readonly side: { width: number; height: number },
    private readonly read: ReadOutputs,
    private readonly minScore: number,
  ) {}

  /**
   * @param path an ONNX file that takes `image` [1, 3, height, width], RGB in 0–255, and gives either the maps that
   *   `convertDetector` describes or the boxes that `readBoxes` describes
   */
  static async load(path: string, minScore: number): Promise<ObjectDetector> {
    const session = await ort.InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 });
    const image = session.inputMetadata.find(({ name }) => name === 'image');
    const [batch, channels, height, width] = image?.isTensor ? image.shape.map(Number) : [];
    const isPicture = image?.isTensor && image.type === 'float32' && batch === 1 && channels === 3;
    if (session.inputNames.length !== 1 || !isPicture || !(height! > 0) || !(width! > 0))
      throw new Error(
        `it must take one float32 input, image, of fixed shape [1, 3, height, width], and takes ${session.inputMetadata.map(describeInput).join(', ')}`,
      );
    const side = { width: width!, height: height! };
    return new ObjectDetector(session, side, outputReader(session.outputNames, side), minScore);
  }

  /** @param rgb [height, width, 3] */
  async detect(rgb: Uint8Array, width: number, height: number): Promise<Detection[]> {
    const shape = [1, 3, this.side.height, this.side.width];
    const image = new ort.Tensor('float32', stretch(rgb, { width, height }, this.side), shape);
    return this.read(await this.session.run({ image }), this.minScore);
  }
}

function outputReader(names: readonly string[], side: { width: number; height: number }): ReadOutputs {
  const has = (...wanted: string[]) => wanted.every((name) => names.includes(name));
  if (has('heat', 'sides') && side.width === INPUT_SIDE && side.height === INPUT_SIDE)
    return ({ heat, sides }, minScore) =>
      findPeaks(
        floats('heat', heat!, [1, CLASS_COUNT, MAP_SIDE, MAP_SIDE]),
        floats('sides', sides!, [1, 4, MAP_SIDE, MAP_SIDE]),
        minScore,
      );
  if (has('boxes', 'scores', 'labels'))
    return ({ boxes, scores, labels }, minScore) => {
      const { data, size: count } = labels!;
      if (typeof data[0] === 'string') throw new Error('labels must be numbers');
      return readBoxes(
        {
          boxes: floats('boxes', boxes!, count * 4),
          scores: floats('scores', scores!, count),
          labels: data as ArrayLike<number | bigint>,
        },
        side,
        minScore,
      );
    };
  throw new Error(
    `it gives ${names.join(', ')}; it must give boxes, scores and labels, or heat and sides for a picture of ${INPUT_SIDE} by ${INPUT_SIDE}`,
  );
}

function describeInput(input: ort.InferenceSession.ValueMetadata): string {
  return input.isTensor ? `${input.name} ${input.type} [${input.shape.join(', ')}]` : input.name;
}

/** @param wanted the shape, or how many values there must be in any shape */
function floats(
  name: string,
  { type, dims, data, size }: ort.Tensor,
  wanted: number | number[],
): Float32Array {
  const fits = typeof wanted === 'number' ? size === wanted : dims.join() === wanted.join();
  if (type !== 'float32' || !fits)
    throw new Error(
      `${name} must be float32 ${typeof wanted === 'number' ? `with ${wanted} values for as many labels` : `[${wanted.join(', ')}]`}, and is ${type} [${dims.join(', ')}]`,
    );
  return data as Float32Array;
}

/** The picture stretched to the detector's size, channels first, bilinear. [height, width, 3] → [3, to.height, to.width] */
export function stretch(
  rgb: Uint8Array,
  from: { width: number; height: number },
  to: { width: number; height: number },
): Float32Array {
  const area = to.width * to.height;
  const planes = new Float32Array(3 * area);
  const at = (i: number, size: number, target: number) =>
    Math.min(size - 1, Math.max(0, ((i + 0.5) * size) / target - 0.5));
  for (let j = 0; j < to.height; j++) {
    const y = at(j, from.height, to.height);
    const top = Math.floor(y);
    const bottom = Math.min(from.height - 1, top + 1);
    const dy = y - top;
    for (let i = 0; i < to.width; i++) {
      const x = at(i, from.width, to.width);
      const left = Math.floor(x);
      const right = Math.min(from.width - 1, left + 1);
      const dx = x - left;
      for (let c = 0; c < 3; c++) {
        const pixel = (row: number, column: number) => rgb[(row * from.width + column) * 3 + c]!;
        const upper = pixel(top, left) * (1 - dx) + pixel(top, right) * dx;
        const lower = pixel(bottom, left) * (1 - dx) + pixel(bottom, right) * dx;
        planes[c * area + j * to.width + i] = upper * (1 - dy) + lower * dy;
      }
    }
  }
  return planes;
}
