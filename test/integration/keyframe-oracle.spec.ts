import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decideHeld } from '../../bench/keyframes/held-decisions.js';
import { renderedScenes } from '../../bench/keyframes/scenes/rendered-scenes.js';
import { Scene } from '../../bench/keyframes/scenes/scene.js';
import { followTruth } from '../../bench/keyframes/truth.js';
import { Frame } from '../../src/frames/frame.js';
import { findFfmpeg } from '../../src/frames/ffmpeg-program.js';
import { OpenCvRule } from '../support/opencv-rule.js';
import { oracleScenes } from '../support/keyframe-scenes.js';
import { temporaryFolder } from '../support/temporary-folder.js';

interface Cv2Decision {
  keyframe: number;
  keep: boolean;
  overlap: number | null;
}
const CV2 = JSON.parse(
  readFileSync(new URL('../fixtures/keyframes/cv2.json', import.meta.url), 'utf8'),
) as Record<string, Cv2Decision[]>;

function framesOf(scene: Scene): Frame[] {
  const { frameCount, width, height } = scene;
  return Array.from({ length: frameCount }, (_, index) => ({
    index,
    timestampMs: index * 1000,
    width,
    height,
    rgb: scene.render(index),
  }));
}

describe.each(oracleScenes().map((scene) => [scene.name, scene] as const))(
  '%s, held to OpenCV',
  (name, scene) => {
    const theirs = CV2[name]!;
    const frames = framesOf(scene);
    const ours = decideHeld(frames, [0, ...theirs.map(({ keyframe }) => keyframe)]);

    it('keeps and skips the same frames, but for those near the border', () => {
      const other = theirs.flatMap(({ keep, keyframe }, i) =>
        ours[i]!.keep === keep ? [] : [Math.abs(scene.trueOverlap(i + 1, keyframe) - 0.5)],
      );
      expect(other.length).toBeLessThanOrEqual(1);
      for (const distance of other) expect(distance).toBeLessThan(0.15);
      expect(theirs.filter(({ keep }) => keep).length).toBeGreaterThan(1);
    });

    it('agrees with OpenCV in WebAssembly on most frames, and that with the fixture', async () => {
      const opencv = await OpenCvRule.load();
      const verdicts = theirs.map(({ keyframe }, i) => {
        const overlap = opencv.overlap(frames[i + 1]!, frames[keyframe]!);
        return overlap === null || overlap < 0.5;
      });
      const agreement = (others: readonly { keep: boolean }[]) =>
        verdicts.filter((keep, i) => keep === others[i]!.keep).length / verdicts.length;
      expect(agreement(ours)).toBeGreaterThanOrEqual(0.89);
      expect(agreement(theirs)).toBeGreaterThanOrEqual(0.89);
    });

    it('measures overlaps as near the truth as OpenCV does', () => {
      const both = theirs.flatMap(({ overlap, keyframe }, i) => {
        const { overlapRatio } = ours[i]!;
        const truth = scene.trueOverlap(i + 1, keyframe);
        return overlap === null || overlapRatio === null
          ? []
          : [[Math.abs(overlapRatio - truth), Math.abs(overlap - truth)]];
      });
      const mean = (side: 0 | 1) => both.reduce((sum, errors) => sum + errors[side]!, 0) / both.length;
      expect(both.length).toBeGreaterThan(10);
      expect(mean(0)).toBeLessThan(mean(1) + 0.005);
    });
  },
);

it('decides on rendered clips with known overlaps no worse than OpenCV in WebAssembly', async () => {
  const opencv = await OpenCvRule.load();
  const { path } = await findFfmpeg({ dataDir: temporaryFolder() });
  const clips = renderedScenes(path).filter(({ name }) => name.startsWith('samples/'));
  let [decisions, ours, theirs] = [0, 0, 0];
  for (const clip of clips) {
    const frames = framesOf(clip);
    const { keyframes, overlaps } = followTruth(clip);
    decideHeld(frames, keyframes).forEach(({ keep, frameIndex }) => {
      const truth = overlaps[frameIndex]! < 0.5;
      const overlap = opencv.overlap(frames[frameIndex]!, frames[keyframes[frameIndex]!]!);
      decisions++;
      ours += Number(keep !== truth);
      theirs += Number((overlap === null || overlap < 0.5) !== truth);
    });
  }
  expect(clips).toHaveLength(3);
  // Another FFmpeg's colours may tip a frame or two.
  expect(ours).toBeLessThanOrEqual(theirs + 2);
  expect(ours / decisions).toBeLessThan(0.2);
});
