import { SaccadeError } from '../errors/saccade-error.js';

/** What the selector can be told; the defaults are the paper's where the paper has one (Embodied-R, arXiv 2504.12680). */
export interface SelectorOptions {
  /** Keep a frame that overlaps the last keyframe by less than this share of its area. */
  overlapThreshold: number;
  /** Fewer matches than this say nothing about the view; the paper wants more than 10. */
  minMatches: number;
  /** Below this share of inliers among the matches a homography is taken for chance. */
  minInlierRatio: number;
  /** A frame this long after the last keyframe is kept whatever it shows; 0 turns the rule off. */
  maxGapMs: number;
  /** Frames are shrunk to this width before features are taken; smaller frames stay as they are. */
  analysisWidth: number;
  /** Features per frame; the paper's 500. */
  maxFeatures: number;
  /** Distance within which a match agrees with a homography, in pixels of a 640-wide frame; the paper's 5. */
  reprojectionPx: number;
  /** Mean difference of two thumbnails, in grey levels, from which a view without texture counts as changed. */
  blankDifference: number;
  /** Whether each decision carries the movement since the previous sampled frame. */
  trackMotion: boolean;
  /** Horizontal field of view of the camera; the movement is measured with it. */
  hfovDeg: number;
}

export const DEFAULT_SELECTOR_OPTIONS: Readonly<SelectorOptions> = {
  overlapThreshold: 0.5,
  minMatches: 11,
  minInlierRatio: 0.12,
  maxGapMs: 10_000,
  analysisWidth: 640,
  maxFeatures: 500,
  reprojectionPx: 5,
  blankDifference: 16,
  trackMotion: true,
  hfovDeg: 75,
};

const RANGES: Record<Exclude<keyof SelectorOptions, 'trackMotion'>, readonly [number, number]> = {
  overlapThreshold: [0, 1],
  minMatches: [4, 10_000],
  minInlierRatio: [0, 1],
  maxGapMs: [0, Number.MAX_SAFE_INTEGER],
  analysisWidth: [96, 1280],
  maxFeatures: [50, 2000],
  reprojectionPx: [0.5, 50],
  blankDifference: [0, 255],
  hfovDeg: [20, 150],
};

/** Fills in the defaults and refuses a value outside its range by name. */
export function resolveSelectorOptions(given: Partial<SelectorOptions> = {}): SelectorOptions {
  const options = { ...DEFAULT_SELECTOR_OPTIONS, ...given };
  for (const [name, [min, max]] of Object.entries(RANGES) as [
    keyof typeof RANGES,
    readonly [number, number],
  ][]) {
    const value = options[name];
    if (!(value >= min && value <= max)) {
      throw new SaccadeError(
        'input',
        'keyframe_option_out_of_range',
        `Keyframe option ${name} is ${value}; give a number from ${min} to ${max}.`,
        { field: name, limit: `${min}..${max}` },
      );
    }
  }
  return options;
}
