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

/** A camera's pose and what it saw from there. */
export interface View {
  pose: Pose;
  truth: TruthImage;
}

/** Sky is as good as infinitely far: only the turn moves it. */
const SKY_DEPTH = 1e4;

/** Depths at the edge of a pixel differ from those at its centre; without slack, steep surfaces would hide themselves. */
const DEPTH_SLACK = 1.03;

/**
 * The share of the earlier view's pixels whose surface point the current view shows, hidden surfaces left out: what the
 * keyframe selector's ratio, the current view warped into the earlier picture and clipped to it, estimates on a plane.
 * Here from depth, so it needs no homography and holds for scenes with depth.
 */
export function viewOverlap(current: View, earlier: View, lens: CameraLens): number {
  const { width, height, packed } = earlier.truth;
  const focal = focalLength(lens, width);
  const from = earlier.pose;
  const axes = cameraAxes(from);
  const currentAxes = cameraAxes(current.pose);
  let shared = 0;
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const depth = packed[(row * width + column) * 2 + 1] || SKY_DEPTH;
      const right = ((column + 0.5 - width / 2) / focal) * depth;
      const up = ((height / 2 - row - 0.5) / focal) * depth;
      const x = from.x + axes[0] * right + axes[1] * up - axes[2] * depth;
      const y = from.y + axes[3] * right + axes[4] * up - axes[5] * depth;
      const z = from.z + axes[6] * right + axes[7] * up - axes[8] * depth;
      const [seenRight, seenUp, seenDepth] = intoAxes(currentAxes, current.pose, x, y, z);
      if (seenDepth <= 0) continue;
      const seenColumn = Math.floor((seenRight / seenDepth) * focal + width / 2);
      const seenRow = Math.floor(height / 2 - (seenUp / seenDepth) * focal);
      if (seenColumn < 0 || seenRow < 0 || seenColumn >= width || seenRow >= height) continue;
      if (seenDepth <= DEPTH_SLACK * farthestNear(current.truth, seenColumn, seenRow)) shared += 1;
    }
  }
  return shared / (width * height);
}

/** The greatest depth at a pixel or beside it: the point may lie on any of the surfaces that meet there. */
function farthestNear({ width, height, packed }: TruthImage, column: number, row: number): number {
  let farthest = 0;
  for (let y = Math.max(0, row - 1); y <= Math.min(height - 1, row + 1); y += 1) {
    for (let x = Math.max(0, column - 1); x <= Math.min(width - 1, column + 1); x += 1) {
      // Sky hides nothing: after a turn its depth along the new axis is another, though it is as far as before.
      farthest = Math.max(farthest, packed[(y * width + x) * 2 + 1] || Infinity);
    }
  }
  return farthest;
}
