import { Settings } from '../config/settings.js';
import { FfmpegFrameSourceOptions } from './ffmpeg-frame-source.js';

/** The frame source as the settings want it. */
export function frameSourceOptions(settings: Settings): FfmpegFrameSourceOptions {
  return {
    ffmpegPath: settings.ffmpegPath,
    dataDir: settings.saccadeDataDir,
    sampleFps: settings.sampleFps,
    maxWidth: settings.frameMaxSide,
    maxPixels: settings.frameMaxPixels,
    maxBytes: settings.videoMaxBytes,
    maxDurationMs: settings.videoMaxSeconds * 1000,
    decodeTimeoutMs: settings.decodeTimeoutMs,
    threads: settings.decodeThreads,
    downloadTimeoutMs: settings.videoDownloadTimeoutMs,
    allowPrivateAddresses: settings.allowPrivateVideoUrls,
  };
}
