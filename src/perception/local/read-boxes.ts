import { CLASS_COUNT } from './convert-detector.js';
import { Detection } from './peaks.js';

/** Outputs of a detector that picks its boxes itself, as the usual exports name them. */
export interface BoxOutputs {
  /** [n, 4] or [1, n, 4]: left, top, right, bottom in pixels of the input. */
  boxes: ArrayLike<number>;
  /** [n], 0 to 1. */
  scores: ArrayLike<number>;
  /** [n], places in the list of COCO's 80 classes. */
  labels: ArrayLike<number | bigint>;
}

/** @param side width and height of the input that the boxes refer to */
export function readBoxes(
  { boxes, scores, labels }: BoxOutputs,
  side: { width: number; height: number },
  minScore: number,
): Detection[] {
  const share = (pixels: number, size: number) => Math.min(1, Math.max(0, pixels / size));
  const found: Detection[] = [];
  for (let i = 0; i < scores.length; i++) {
    const classIndex = Number(labels[i]);
    const score = scores[i]!;
    if (!(score >= minScore && classIndex >= 0 && classIndex < CLASS_COUNT)) continue;
    found.push({
      classIndex,
      score,
      left: share(boxes[4 * i]!, side.width),
      top: share(boxes[4 * i + 1]!, side.height),
      right: share(boxes[4 * i + 2]!, side.width),
      bottom: share(boxes[4 * i + 3]!, side.height),
    });
  }
  return found.sort((a, b) => b.score - a.score);
}
