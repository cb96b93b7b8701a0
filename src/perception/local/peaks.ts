import { CLASS_COUNT, INPUT_SIDE, MAP_SIDE } from './convert-detector.js';

/** A detected object; the box in shares of the picture's width and height. */
export interface Detection {
  classIndex: number;
  score: number;
  left: number;
  top: number;
  right: number;
  bottom: number;
}

const STRIDE = INPUT_SIDE / MAP_SIDE;
const MAX_DETECTIONS = 50;
/** Boxes of one class that share more than this of their union are one object. */
const SAME_OBJECT_OVERLAP = 0.5;

/**
 * Objects from the maps of a CenterNet (Zhou et al. 2019): the peaks of each class in its 3×3 neighbourhood.
 *
 * @param heat [80, 128, 128]
 * @param sides [4, 128, 128]
 */
export function findPeaks(heat: Float32Array, sides: Float32Array, minScore: number): Detection[] {
  const found: Detection[] = [];
  const area = MAP_SIDE * MAP_SIDE;
  for (let classIndex = 0; classIndex < CLASS_COUNT; classIndex++) {
    for (let at = 0; at < area; at++) {
      const score = heat[classIndex * area + at]!;
      if (score < minScore || !isPeak(heat, classIndex * area, at, score)) continue;
      const x = (at % MAP_SIDE) * STRIDE;
      const y = Math.floor(at / MAP_SIDE) * STRIDE;
      found.push({
        classIndex,
        score,
        left: share(x - sides[at]!),
        top: share(y - sides[area + at]!),
        right: share(x + sides[2 * area + at]!),
        bottom: share(y + sides[3 * area + at]!),
      });
    }
  }
  found.sort((a, b) => b.score - a.score);
  return found
    .filter(
      (box, i) =>
        !found
          .slice(0, i)
          .some(
            (better) => better.classIndex === box.classIndex && overlap(better, box) > SAME_OBJECT_OVERLAP,
          ),
    )
    .slice(0, MAX_DETECTIONS);
}

function isPeak(heat: Float32Array, offset: number, at: number, score: number): boolean {
  const x = at % MAP_SIDE;
  const y = Math.floor(at / MAP_SIDE);
  for (let j = Math.max(0, y - 1); j <= Math.min(MAP_SIDE - 1, y + 1); j++) {
    for (let i = Math.max(0, x - 1); i <= Math.min(MAP_SIDE - 1, x + 1); i++) {
      if (heat[offset + j * MAP_SIDE + i]! > score) return false;
    }
  }
  return true;
}

function share(pixels: number): number {
  return Math.min(1, Math.max(0, pixels / INPUT_SIDE));
}

/** Area of the intersection over that of the union. */
export function overlap(a: Detection, b: Detection): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  const size = (box: Detection) => (box.right - box.left) * (box.bottom - box.top);
  return (width * height) / (size(a) + size(b) - width * height);
}
