import { GrayImage } from './gray-image.js';
import { harrisResponse } from './harris.js';

export interface Corners {
  count: number;
  xs: Int16Array;
  ys: Int16Array;
  /** Harris response, by which they are ordered, largest first. */
  responses: Float32Array;
}

/** Cells of the grid are this wide: 640×360 has 40×23 of them. */
const CELL_PX = 16;
/** How many more candidates than wanted corners go on to the Harris ranking; OpenCV's ORB also takes twice as many. */
const SURPLUS = 2;

/**
 * Picks the strongest corners of a score map. No grid cell may give more than its share of candidates, so that one
 * textured object cannot take every feature and speak for the whole view.
 *
 * @param scores [height, width] as the kernel lays them: at a multiple of four bytes, 0 in a border of at least 4
 */
export function pickCorners(image: GrayImage, scores: Uint8Array, wanted: number): Corners {
  const candidates = capPerCell(collectPeaks(scores, image.width), scores, image, wanted);
  const responses = candidates.map((at) => harrisResponse(image, at));
  const order = candidates.map((_, i) => i).sort((a, b) => responses[b] - responses[a] || a - b);
  const count = Math.min(wanted, order.length);
  const corners: Corners = {
    count,
    xs: new Int16Array(count),
    ys: new Int16Array(count),
    responses: new Float32Array(count),
  };
  for (let i = 0; i < count; i++) {
    const at = candidates[order[i]];
    corners.xs[i] = at % image.width;
    corners.ys[i] = Math.floor(at / image.width);
    corners.responses[i] = responses[order[i]];
  }
  return corners;
}

/** Most of a score map is 0, and so is its border: four scores are looked at together. */
function collectPeaks(scores: Uint8Array, width: number): number[] {
  const peaks: number[] = [];
  const fours = new Uint32Array(scores.buffer, scores.byteOffset, scores.length >> 2);
  for (let i = 0; i < fours.length; i++) {
    if (fours[i] === 0) continue;
    for (let at = 4 * i; at < 4 * i + 4; at++) {
      if (scores[at] !== 0 && isPeak(scores, at, width)) peaks.push(at);
    }
  }
  return peaks;
}

function capPerCell(peaks: number[], scores: Uint8Array, image: GrayImage, wanted: number): number[] {
  const limit = wanted * SURPLUS;
  if (peaks.length <= limit) return peaks;
  const columns = Math.ceil(image.width / CELL_PX);
  const rows = Math.ceil(image.height / CELL_PX);
  const share = Math.max(4, Math.ceil((4 * limit) / (columns * rows)));
  const taken = new Uint16Array(columns * rows);
  const kept: number[] = [];
  for (const at of largestFirst(peaks, scores)) {
    const cell = Math.floor(at / image.width / CELL_PX) * columns + Math.floor((at % image.width) / CELL_PX);
    if (taken[cell] === share) continue;
    taken[cell]++;
    if (kept.push(at) === limit) break;
  }
  return kept;
}

/** Of equals the first stays first. */
function largestFirst(peaks: readonly number[], scores: Uint8Array): Int32Array {
  const places = new Int32Array(257);
  for (const at of peaks) places[256 - scores[at]!]!++;
  for (let i = 1; i < places.length; i++) places[i]! += places[i - 1]!;
  const sorted = new Int32Array(peaks.length);
  for (const at of peaks) sorted[places[255 - scores[at]!]!++] = at;
  return sorted;
}

/** Whether a score is the largest of its 3×3 neighbourhood; of equals the first in reading order wins. */
function isPeak(scores: Uint8Array, at: number, width: number): boolean {
  const score = scores[at];
  return (
    score >= scores[at + 1] &&
    score >= scores[at + width - 1] &&
    score >= scores[at + width] &&
    score >= scores[at + width + 1] &&
    score > scores[at - 1] &&
    score > scores[at - width - 1] &&
    score > scores[at - width] &&
    score > scores[at - width + 1]
  );
}
