import ort from 'onnxruntime-node';
import { INPUT_SIDE } from './convert-detector.js';
import { Detection, findPeaks } from './peaks.js';

/** Finds objects in a picture; blocks the thread that calls it while the model runs. */
export class ObjectDetector {
  private constructor(
    private readonly session: ort.InferenceSession,
    private readonly minScore: number,
  ) {}

  /** @param path an ONNX file with the inputs and outputs that `convertDetector` describes */
  static async load(path: string, minScore: number): Promise<ObjectDetector> {
    const session = await ort.InferenceSession.create(path, { intraOpNumThreads: 1, interOpNumThreads: 1 });
    const expected = ['heat', 'image', 'sides'];
    const found = [...session.inputNames, ...session.outputNames].sort();
    if (expected.some((name) => !found.includes(name))) {
      throw new Error(
        `The detector ${path} has ${found.join(', ')}; it needs the input image and the outputs heat and sides.`,
      );
    }
    return new ObjectDetector(session, minScore);
  }

  /** @param rgb [height, width, 3] */
  async detect(rgb: Uint8Array, width: number, height: number): Promise<Detection[]> {
    const image = new ort.Tensor('float32', stretch(rgb, width, height), [1, 3, INPUT_SIDE, INPUT_SIDE]);
    const { heat, sides } = await this.session.run({ image });
    return findPeaks(heat!.data as Float32Array, sides!.data as Float32Array, this.minScore);
  }
}

/** The picture stretched to the detector's square, channels first, bilinear. [height, width, 3] → [3, 512, 512] */
export function stretch(rgb: Uint8Array, width: number, height: number): Float32Array {
  const planes = new Float32Array(3 * INPUT_SIDE * INPUT_SIDE);
  const area = INPUT_SIDE * INPUT_SIDE;
  const at = (i: number, size: number) =>
    Math.min(size - 1, Math.max(0, ((i + 0.5) * size) / INPUT_SIDE - 0.5));
  for (let j = 0; j < INPUT_SIDE; j++) {
    const y = at(j, height);
    const top = Math.floor(y);
    const bottom = Math.min(height - 1, top + 1);
    const dy = y - top;
    for (let i = 0; i < INPUT_SIDE; i++) {
      const x = at(i, width);
      const left = Math.floor(x);
      const right = Math.min(width - 1, left + 1);
      const dx = x - left;
      for (let c = 0; c < 3; c++) {
        const upper =
          rgb[(top * width + left) * 3 + c]! * (1 - dx) + rgb[(top * width + right) * 3 + c]! * dx;
        const lower =
          rgb[(bottom * width + left) * 3 + c]! * (1 - dx) + rgb[(bottom * width + right) * 3 + c]! * dx;
        planes[c * area + j * INPUT_SIDE + i] = upper * (1 - dy) + lower * dy;
      }
    }
  }
  return planes;
}
