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
 */
export function pickCorners(image: GrayImage, scores: Uint8Array, border: number, wanted: number): Corners {
  const candidates = capPerCell(
    collectPeaks(scores, image.width, image.height, border),
    scores,
    image,
    wanted,
  );
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

function collectPeaks(scores: Uint8Array, width: number, height: number, border: number): number[] {
  const peaks: number[] = [];
  for (let y = border; y < height - border; y++) {
    const end = y * width + width - border;
    for (let at = y * width + border; at < end; at++) {
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
  const byScore = peaks.slice().sort((a, b) => scores[b] - scores[a] || a - b);
  const taken = new Uint16Array(columns * rows);
  const kept: number[] = [];
  for (const at of byScore) {
    const cell = Math.floor(at / image.width / CELL_PX) * columns + Math.floor((at % image.width) / CELL_PX);
    if (taken[cell] === share) continue;
    taken[cell]++;
    if (kept.push(at) === limit) break;
  }
  return kept;
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
