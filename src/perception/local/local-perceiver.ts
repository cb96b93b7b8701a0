import { actionsOf } from '../ego-motion/actions.js';
import { Perceiver, Perception, PerceptionInput } from '../perceiver.js';
import { wordObservation } from '../wording.js';
import { describeObjects } from './describe-objects.js';
import { DetectorClient } from './detector-client.js';

export interface LocalPerceiverOptions {
  /** ONNX detector; see `ObjectDetector.load`. */
  detectorPath: string;
  minScore: number;
  hfovDeg: number;
}

const BLACK_PIXEL = { rgb: new Uint8Array(3), width: 1, height: 1 };

/** Perceives on this machine: a COCO detector for what is seen, the geometry of the matches for how the agent moved. */
export class LocalPerceiver implements Perceiver {
  readonly name = 'local';
  readonly version: string;
  private readonly detector: DetectorClient;

  private constructor(private readonly options: LocalPerceiverOptions) {
    const { detectorPath: path, minScore, hfovDeg } = options;
    this.version = `2 hfov=${hfovDeg} score=${minScore} ${path.split('/').at(-1)}`;
    this.detector = new DetectorClient({ path, minScore });
  }

  /**
   * Resolves once the detector has looked at a first picture, so that the first question does not wait for it.
   * @throws SaccadeError detector_failed when the file is no detector
   */
  static async load(options: LocalPerceiverOptions): Promise<LocalPerceiver> {
    const perceiver = new LocalPerceiver(options);
    try {
      await perceiver.detector.detect(BLACK_PIXEL, new AbortController().signal);
      return perceiver;
    } catch (error) {
      await perceiver.close();
      throw error;
    }
  }

  async perceive({ keyframe, previous, steps, signal }: PerceptionInput): Promise<Perception> {
    const { rgb, width, height } = keyframe;
    const detections = await this.detector.detect({ rgb, width, height }, signal);
    const { objects, gone } = describeObjects(
      detections,
      keyframe,
      this.options.hfovDeg,
      previous?.percept.objects ?? null,
    );
    const percept = {
      actions: previous === null ? [] : actionsOf(steps, this.options.hfovDeg),
      objects,
      gone,
      text: wordObservation(objects, gone),
      contradiction: null,
    };
    return { percept, usage: { promptTokens: 0, completionTokens: 0, calls: 0 } };
  }

  async close(): Promise<void> {
    await this.detector.close();
  }
}
