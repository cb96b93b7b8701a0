import 'reflect-metadata';
import { Settings } from '../../src/config/settings.js';
import { encodeJpeg } from '../../src/frames/encode-jpeg.js';
import { FfmpegFrameSource } from '../../src/frames/ffmpeg-frame-source.js';
import { frameSourceOptions } from '../../src/frames/frame-source-options.js';
import { FrameStream } from '../../src/frames/frame-source.js';
import { KeyframeWorkerPool } from '../../src/keyframes/keyframe-worker-pool.js';
import { ensureDetector } from '../../src/perception/local/detector-file.js';
import { LocalPerceiver } from '../../src/perception/local/local-perceiver.js';
import {
  NewPercept,
  PerceptCache,
  PerceptionPipeline,
  StoredPercept,
} from '../../src/perception/perception-pipeline.js';
import { SeenKeyframe, VideoWatcher } from '../../src/reason/video-watcher.js';

/** The server's way from a video to its percepts, with the default settings, without the server and its database. */
export class ClipPerceiver {
  private constructor(
    private readonly settings: Settings,
    private readonly selectors: KeyframeWorkerPool,
    private readonly perceiver: LocalPerceiver,
  ) {}

  /** @param dataDir where the detector is kept once it has been converted */
  static async open(dataDir: string): Promise<ClipPerceiver> {
    const settings = new Settings();
    settings.saccadeDataDir = dataDir;
    const selectors = new KeyframeWorkerPool({
      workers: settings.keyframeWorkers,
      selector: {
        overlapThreshold: settings.keyframeOverlapThreshold,
        maxGapMs: settings.keyframeMaxGapMs,
      },
    });
    const perceiver = await LocalPerceiver.load({
      detectorPath: await ensureDetector(dataDir),
      minScore: settings.detectorMinScore,
      hfovDeg: settings.cameraHfovDeg,
    });
    return new ClipPerceiver(settings, selectors, perceiver);
  }

  /** The clip's frames as the server samples them. */
  async decode(path: string): Promise<FrameStream> {
    const source = new FfmpegFrameSource(frameSourceOptions(this.settings));
    return source.open({ kind: 'file', path }, new AbortController().signal);
  }

  /** The clip's keyframes, each with what was perceived of it and of the way to it. */
  async perceive(path: string): Promise<SeenKeyframe[]> {
    const { settings } = this;
    const watcher = new VideoWatcher(
      this.selectors,
      new PerceptionPipeline(this.perceiver, new ForgetfulCache()),
      {
        concurrency: settings.perceptionConcurrency,
        min: settings.keyframeMin,
        max: settings.keyframeMax,
        encode: (frame) => encodeJpeg(frame, settings.keyframeJpegQuality),
      },
    );
    const { signal } = new AbortController();
    return (await watcher.watch(await this.decode(path), signal, () => undefined)).keyframes;
  }

  async close(): Promise<void> {
    await this.selectors.close();
    await this.perceiver.close();
  }
}

/** Each clip is perceived once, so nothing is worth keeping. */
class ForgetfulCache implements PerceptCache {
  async find(): Promise<null> {
    return null;
  }

  async keep(key: string, { percept }: NewPercept): Promise<StoredPercept> {
    return { id: key, percept };
  }
}
