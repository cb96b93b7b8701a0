import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { SaccadeError } from '../../errors/saccade-error.js';
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
  /** Pictures that may wait for the detector. */
  maxQueued?: number;
}

const BLACK_PIXEL = { rgb: new Uint8Array(3), width: 1, height: 1 };

/** Perceives on this machine: a COCO detector for what is seen, the geometry of the matches for how the agent moved. */
export class LocalPerceiver implements Perceiver {
  readonly name = 'local';
  readonly version: string;
  private readonly detector: DetectorClient;

  private constructor(
    private readonly options: LocalPerceiverOptions,
    detectorSha256: string,
  ) {
    const { detectorPath: path, minScore, hfovDeg } = options;
    // By content: another detector under the same name must not be given the percepts of the old one.
    this.version = `2 hfov=${hfovDeg} score=${minScore} detector=${detectorSha256.slice(0, 16)}`;
    this.detector = new DetectorClient({ path, minScore }, options.maxQueued);
  }

  /**
   * Resolves once the detector has looked at a first picture, so that the first question does not wait for it.
   * @throws SaccadeError detector_unusable when the file is no detector
   */
  static async load(options: LocalPerceiverOptions): Promise<LocalPerceiver> {
    let perceiver: LocalPerceiver | null = null;
    try {
      perceiver = new LocalPerceiver(options, await sha256Of(options.detectorPath));
      await perceiver.detector.detect(BLACK_PIXEL, new AbortController().signal);
      return perceiver;
    } catch (error) {
      await perceiver?.close();
      const reason = error instanceof Error ? error.message : String(error);
      throw new SaccadeError(
        'internal',
        'detector_unusable',
        `The detector ${options.detectorPath} cannot be used: ${reason} DETECTOR_MODEL takes the ONNX files that docs/extending.md describes, and is left empty for the shipped detector.`,
        { field: 'DETECTOR_MODEL', cause: error },
      );
    }
  }

  async perceive({ keyframe, previous, steps, signal }: PerceptionInput): Promise<Perception> {
    const { rgb, width, height } = keyframe;
    const detections = await this.detector.detect({ rgb, width, height }, signal);
    const before = (await previous?.percept) ?? null;
    const { objects, gone } = describeObjects(
      detections,
      keyframe,
      this.options.hfovDeg,
      before?.objects ?? null,
    );
    const percept = {
      actions: previous === null ? [] : actionsOf(steps),
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

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash).catch((error: Error) => {
    throw new Error(`it cannot be read (${error.message}).`);
  });
  return hash.digest('hex');
}
