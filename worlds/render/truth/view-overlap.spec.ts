import { describe, expect, it } from 'vitest';
import { type CameraLens } from '../camera-lens.js';
import { type Pose } from '../camera-path.js';
import { type View, viewOverlap } from './view-overlap.js';

const LENS: CameraLens = {
  width: 640,
  height: 360,
  horizontalFovDegrees: 90,
  truthWidth: 160,
  truthHeight: 90,
};
const ORIGIN: Pose = { x: 0, y: 0, z: 0, yawDegrees: 0, pitchDegrees: 0 };

/** A view of walls square to the line of sight; `depthAt` tells how far the one in each column is. */
function viewOf(pose: Partial<Pose>, depthAt: (column: number) => number): View {
  const { truthWidth: width, truthHeight: height } = LENS;
  const packed = new Float32Array(width * height * 2);
  for (let pixel = 0; pixel < width * height; pixel += 1) packed[2 * pixel + 1] = depthAt(pixel % width);
  return { pose: { ...ORIGIN, ...pose }, truth: { width, height, packed } };
}

/** A wall at z = −4, seen without turning. */
const wallFrom = (pose: Partial<Pose>): View => viewOf(pose, () => 4 + (pose.z ?? 0));

describe('viewOverlap', () => {
  it('is whole for the same view', () => {
    expect(viewOverlap(wallFrom({}), wallFrom({}), LENS)).toBe(1);
  });

  it('loses what a side step leaves behind', () => {
    // The wall is 8 m wide in the picture, so 2 m aside leave three quarters.
    expect(viewOverlap(wallFrom({ x: 2 }), wallFrom({}), LENS)).toBeCloseTo(0.75, 2);
  });

  it('loses the rim of the earlier view on the way forward and nothing on the way back', () => {
    expect(viewOverlap(wallFrom({ z: -2 }), wallFrom({}), LENS)).toBeCloseTo(0.25, 2);
    expect(viewOverlap(wallFrom({ z: 2 }), wallFrom({}), LENS)).toBe(1);
  });

  it('follows a turn over the sky, which hides nothing', () => {
    const sky = (yawDegrees: number): View => viewOf({ yawDegrees }, () => 0);
    // Half the field of view leaves one half of the columns, less what the turn carries over the upper and lower rim:
    // ½ ∫₀¹ min(1, (1 + x) / √2) dx.
    for (const yaw of [45, -45]) expect(viewOverlap(sky(yaw), sky(0), LENS)).toBeCloseTo(0.47, 2);
    expect(viewOverlap(sky(95), sky(0), LENS)).toBe(0);
  });

  it('leaves out what a nearer surface hides now', () => {
    const halfHidden = viewOf({}, (column) => (column < 80 ? 1 : 4));
    expect(viewOverlap(halfHidden, wallFrom({}), LENS)).toBeCloseTo(0.5, 1);
  });
});
