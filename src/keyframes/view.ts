import { Frame } from '../frames/frame.js';
import { extractFeatures, Features } from './features.js';
import { Homography, multiply } from './homography.js';
import { analysedLuma } from './luma.js';
import { SelectorOptions } from './selector-options.js';
import { makeThumbnail } from './thumbnail.js';

/** All that is remembered of a frame. */
export interface View {
  frameIndex: number;
  timestampMs: number;
  /** Size of the frame as sampled. */
  width: number;
  height: number;
  /** Size of the picture the features were taken from. */
  analysedWidth: number;
  analysedHeight: number;
  features: Features;
  thumbnail: Float32Array;
}

/** Looks at a frame once; nothing later needs its pixels. */
export function lookAt(frame: Frame, options: SelectorOptions): View {
  const gray = analysedLuma(frame.rgb, frame.width, frame.height, options.analysisWidth);
  return {
    frameIndex: frame.index,
    timestampMs: frame.timestampMs,
    width: frame.width,
    height: frame.height,
    analysedWidth: gray.width,
    analysedHeight: gray.height,
    features: extractFeatures(gray, options.maxFeatures),
    thumbnail: makeThumbnail(gray),
  };
}

/** Analysed position → position in the frame; pixel centres lie at whole numbers in both. */
export function frameCoordinate(position: number, scale: number): number {
  return (position + 0.5) * scale - 0.5;
}

/** The same map between the sampled frames as `h` is between the analysed pictures. */
export function toFramePixels(h: Homography, from: View, to: View): Homography {
  return multiply(multiply(enlarge(to), h), shrink(from));
}

function enlarge(view: View): Homography {
  const x = view.width / view.analysedWidth;
  const y = view.height / view.analysedHeight;
  return Float64Array.of(x, 0, (x - 1) / 2, 0, y, (y - 1) / 2, 0, 0, 1);
}

function shrink(view: View): Homography {
  const x = view.analysedWidth / view.width;
  const y = view.analysedHeight / view.height;
  return Float64Array.of(x, 0, (x - 1) / 2, 0, y, (y - 1) / 2, 0, 0, 1);
}
