import { describe, expect, it } from 'vitest';
import { Frame } from '../frames/frame.js';
import { KeyframeDecision } from '../keyframes/keyframe-selector.js';
import { KeyframeAlbum } from './keyframe-album.js';

const frame = (index: number): Frame => ({
  index,
  timestampMs: index * 1000,
  width: 2,
  height: 2,
  rgb: new Uint8Array(12),
});

function decision(index: number, keep: boolean): KeyframeDecision {
  const step =
    index === 0
      ? null
      : {
          fromTimestampMs: (index - 1) * 1000,
          toTimestampMs: index * 1000,
          motion: null,
        };
  return {
    frameIndex: index,
    timestampMs: index * 1000,
    keep,
    reason: index === 0 ? 'first' : keep ? 'low_overlap' : 'overlapping',
    overlapRatio: null,
    matchCount: 0,
    inlierCount: 0,
    homography: null,
    step,
  };
}

async function chosen(count: number, keep: (index: number) => boolean, min = 4, max = 32) {
  const album = new KeyframeAlbum({ min, max, encode: async (f) => Buffer.from([f.index & 255]) });
  for (let i = 0; i < count; i++) await album.add(frame(i), decision(i, keep(i)));
  return album.finish();
}

describe('KeyframeAlbum', () => {
  it('is empty for a video without frames', async () => {
    expect(await chosen(0, () => true)).toEqual([]);
  });

  it('appends the last frame', async () => {
    const keyframes = await chosen(20, (i) => i % 5 === 0);
    expect(keyframes.map((k) => k.frameIndex)).toEqual([0, 5, 10, 15, 19]);
    expect(keyframes.at(-1)!.reason).toBe('last');
  });

  it('does not append a last frame that was kept anyway', async () => {
    const keyframes = await chosen(16, (i) => i % 5 === 0);
    expect(keyframes.map((k) => k.reason)).toEqual(['first', 'low_overlap', 'low_overlap', 'low_overlap']);
  });

  it('fills up uniformly to the minimum', async () => {
    const keyframes = await chosen(31, (i) => i === 0);
    expect(keyframes.map((k) => k.frameIndex)).toEqual([0, 10, 20, 30]);
    expect(keyframes.map((k) => k.reason)).toEqual(['first', 'uniform', 'uniform', 'last']);
  });

  it('keeps what the selector kept when it fills up', async () => {
    const keyframes = await chosen(31, (i) => i === 0 || i === 11);
    expect(keyframes.map((k) => k.frameIndex)).toContain(11);
    expect(keyframes).toHaveLength(4);
  });

  it('has every frame of a video shorter than the minimum', async () => {
    expect((await chosen(3, (i) => i === 0)).map((k) => k.frameIndex)).toEqual([0, 1, 2]);
  });

  it('thins out to the maximum, first and last included', async () => {
    const keyframes = await chosen(100, () => true);
    expect(keyframes).toHaveLength(32);
    expect([keyframes[0]!.frameIndex, keyframes.at(-1)!.frameIndex]).toEqual([0, 99]);
  });

  it('gives every keyframe all the movement since the one before', async () => {
    for (const keyframes of [
      await chosen(20, (i) => i % 5 === 0),
      await chosen(100, () => true),
      await chosen(31, (i) => i === 0),
    ]) {
      const told = keyframes.flatMap((k) => k.steps.map((step) => step.toTimestampMs));
      expect(told).toEqual(Array.from({ length: keyframes.at(-1)!.frameIndex }, (_, i) => (i + 1) * 1000));
    }
  });

  it('spreads evenly over a very long video', async () => {
    const keyframes = await chosen(7200, () => true);
    const gaps = keyframes.slice(1).map((k, i) => k.frameIndex - keyframes[i]!.frameIndex);
    expect(keyframes).toHaveLength(32);
    expect(Math.max(...gaps) / Math.min(...gaps)).toBeLessThan(2.5);
  });
});
