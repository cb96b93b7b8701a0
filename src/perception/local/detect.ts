import ort from 'onnxruntime-node';
import { INPUT_SIDE } from './convert-detector.js';
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
    const [height, width] = image?.isTensor ? image.shape.slice(2).map(Number) : [];
    if (session.inputNames.length !== 1 || !(height! > 0) || !(width! > 0))
      throw new Error(`${path} must take one input, image, of fixed shape [1, 3, height, width]`);
    const side = { width: width!, height: height! };
    return new ObjectDetector(session, side, outputReader(path, session.outputNames, side), minScore);
  }

  /** @param rgb [height, width, 3] */
  async detect(rgb: Uint8Array, width: number, height: number): Promise<Detection[]> {
    const shape = [1, 3, this.side.height, this.side.width];
    const image = new ort.Tensor('float32', stretch(rgb, { width, height }, this.side), shape);
    return this.read(await this.session.run({ image }), this.minScore);
  }
}

function outputReader(
  path: string,
  names: readonly string[],
  side: { width: number; height: number },
): ReadOutputs {
  const has = (...wanted: string[]) => wanted.every((name) => names.includes(name));
  if (has('heat', 'sides') && side.width === INPUT_SIDE && side.height === INPUT_SIDE)
    return ({ heat, sides }, minScore) =>
      findPeaks(heat!.data as Float32Array, sides!.data as Float32Array, minScore);
  if (has('boxes', 'scores', 'labels'))
    return ({ boxes, scores, labels }, minScore) =>
      readBoxes(
        {
          boxes: boxes!.data as Float32Array,
          scores: scores!.data as Float32Array,
          labels: labels!.data as BigInt64Array,
        },
        side,
        minScore,
      );
  throw new Error(
    `${path} gives ${names.join(', ')}; it must give boxes, scores and labels, or heat and sides for a picture of ${INPUT_SIDE} by ${INPUT_SIDE}`,
  );
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
