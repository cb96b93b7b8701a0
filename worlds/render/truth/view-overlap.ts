import { focalLength, type CameraLens } from '../camera-lens.js';
import { type Pose } from '../camera-path.js';
import { type TruthImage } from './truth-image.js';

/** Row-major 3×3: camera axes (right, up, backward) in the world, for yaw about y, then pitch about x. */
function cameraAxes(pose: Pose): Float64Array {
  const yaw = (pose.yawDegrees * Math.PI) / 180;
  const pitch = (pose.pitchDegrees * Math.PI) / 180;
  const [cy, sy, cp, sp] = [Math.cos(yaw), Math.sin(yaw), Math.cos(pitch), Math.sin(pitch)];
  return Float64Array.of(cy, sy * sp, sy * cp, 0, cp, -sp, -sy, cy * sp, cy * cp);
}

/** A world point in a camera's own axes: right, up, and depth in front. */
function intoAxes(axes: Float64Array, pose: Pose, x: number, y: number, z: number): [number, number, number] {
  const [dx, dy, dz] = [x - pose.x, y - pose.y, z - pose.z];
  return [
    axes[0] * dx + axes[3] * dy + axes[6] * dz,
    axes[1] * dx + axes[4] * dy + axes[7] * dz,
    -(axes[2] * dx + axes[5] * dy + axes[8] * dz),
  ];
}

export function toCamera(pose: Pose, point: readonly [number, number, number]): [number, number, number] {
  return intoAxes(cameraAxes(pose), pose, ...point);
}

/** Sky is as good as infinitely far: only the turn moves it. */
const SKY_DEPTH = 1e4;

/**
 * The share of the current view's pixels whose 3-D point falls inside the earlier view's picture: what the keyframe
 * selector's homography overlap estimates, here from depth, so exact for scenes with depth too. Points that another
 * surface hides in the earlier view still count, as they do in the homography's polygon.
 */
export function viewOverlap(current: Pose, earlier: Pose, truth: TruthImage, lens: CameraLens): number {
  const { width, height, packed } = truth;
  const focal = focalLength(lens, width);
  const axes = cameraAxes(current);
  const earlierAxes = cameraAxes(earlier);
  let inside = 0;
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const depth = packed[(row * width + column) * 2 + 1] || SKY_DEPTH;
      const right = ((column + 0.5 - width / 2) / focal) * depth;
      const up = ((height / 2 - row - 0.5) / focal) * depth;
      const x = current.x + axes[0] * right + axes[1] * up - axes[2] * depth;
      const y = current.y + axes[3] * right + axes[4] * up - axes[5] * depth;
      const z = current.z + axes[6] * right + axes[7] * up - axes[8] * depth;
      const [seenRight, seenUp, seenDepth] = intoAxes(earlierAxes, earlier, x, y, z);
      const isInside =
        seenDepth > 0 &&
        Math.abs((seenRight / seenDepth) * focal) <= width / 2 &&
        Math.abs((seenUp / seenDepth) * focal) <= height / 2;
      if (isInside) inside += 1;
    }
  }
  return inside / (width * height);
}
