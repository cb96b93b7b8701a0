import { Frame } from '../../src/frames/frame.js';
import { decide } from '../../src/keyframes/decide.js';
import { analysisSize } from '../../src/keyframes/luma.js';
import { Clip, readFrames } from './clip.js';
import { Cv2Oracle } from './cv2-oracle.js';
import { BARE_RULE } from './held-decisions.js';

/** Median milliseconds of one decision. */
export interface Timing {
  name: string;
  frames: number;
  ours: number;
  cv2: number;
  cv2SameSize: number;
}

/** Frames timed at one go before the turn passes to the other side. */
const BLOCK = 12;

/**
 * Times both on the same frames, block by block in turn, on one thread each, keyframe features cached. Ours is given
 * the full frame and pays for shrinking it; OpenCV at our size is given frames shrunk before its clock starts.
 *
 * @param oracle null where OpenCV is not installed; its times are then NaN
 */
export async function measureTimes(clip: Clip, oracle: Cv2Oracle | null, rounds: number): Promise<Timing> {
  const frames = readFrames(clip);
  const size = analysisSize(clip.width, clip.height, BARE_RULE.analysisWidth);
  const ours: number[] = [];
  const full: number[] = [];
  const small: number[] = [];
  warmUp(frames);
  for (let round = 0; round < rounds; round++) {
    for (let first = 0; first + 2 < frames.length; first += BLOCK) {
      const block = frames.slice(first, first + BLOCK + 1);
      const indices = block.map((frame) => frame.index);
      ours.push(...timeOurs(block));
      if (oracle === null) continue;
      full.push(...(await oracle.time(clip, indices)));
      small.push(...(await oracle.time(clip, indices, [size.width, size.height])));
    }
  }
  return {
    name: clip.name,
    frames: ours.length,
    ours: median(ours),
    cv2: median(full),
    cv2SameSize: median(small),
  };
}

function warmUp(frames: readonly Frame[]): void {
  for (let round = 0; round < 3; round++) timeOurs(frames.slice(0, 30));
}

function timeOurs(frames: readonly Frame[]): number[] {
  let { state } = decide(null, frames[0], BARE_RULE);
  return frames.slice(1).map((frame) => {
    const start = performance.now();
    ({ state } = decide(state, frame, BARE_RULE));
    return performance.now() - start;
  });
}

export function median(values: readonly number[]): number {
  const sorted = values.slice().sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
