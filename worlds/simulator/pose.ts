import { ActionTaken, Bearing, Distance } from '../../src/perception/percept.js';
import { WorldObject } from './world.js';

/** Where the agent is and where it looks. Headings turn to the left, in degrees from the start's direction. */
export interface Pose {
  x: number;
  y: number;
  height: number;
  headingDeg: number;
}

export const START: Pose = { x: 0, y: 0, height: 0, headingDeg: 0 };

/** The camera of the settings' default: horizontal field of view, and how far it tells things. */
export const FIELD_OF_VIEW_DEG = 75;
const SIGHT = 8;
const NEAR = 3;
/** Half of the third of the view that counts as ahead. */
const AHEAD_DEG = FIELD_OF_VIEW_DEG / 6;

export function moved(pose: Pose, { action, degrees }: ActionTaken): Pose {
  const radians = (pose.headingDeg * Math.PI) / 180;
  const along = (forward: number, left: number): Pose => ({
    ...pose,
    // Heading 0 looks along +y.
    x: pose.x - forward * Math.sin(radians) - left * Math.cos(radians),
    y: pose.y + forward * Math.cos(radians) - left * Math.sin(radians),
  });
  switch (action) {
    case 'move forward':
      return along(1, 0);
    case 'move backward':
      return along(-1, 0);
    case 'move left':
      return along(0, 1);
    case 'move right':
      return along(0, -1);
    case 'move upward':
      return { ...pose, height: pose.height + 1 };
    case 'move downward':
      return { ...pose, height: pose.height - 1 };
    case 'rotate left':
      return { ...pose, headingDeg: pose.headingDeg + degrees! };
    case 'rotate right':
      return { ...pose, headingDeg: pose.headingDeg - degrees! };
    case 'tilt upward':
    case 'tilt downward':
      return pose;
  }
}

/** Angle of an object to the left of straight ahead, in (-180, 180]. */
export function angleTo(pose: Pose, object: WorldObject): number {
  const direction = (Math.atan2(-(object.x - pose.x), object.y - pose.y) * 180) / Math.PI;
  return wrapDegrees(direction - pose.headingDeg);
}

export function distanceTo(pose: Pose, object: WorldObject): number {
  return Math.hypot(object.x - pose.x, object.y - pose.y);
}

export function isVisible(pose: Pose, object: WorldObject): boolean {
  return Math.abs(angleTo(pose, object)) < FIELD_OF_VIEW_DEG / 2 && distanceTo(pose, object) < SIGHT;
}

export function bearingOf(pose: Pose, object: WorldObject): Bearing {
  const angle = angleTo(pose, object);
  return Math.abs(angle) <= AHEAD_DEG ? 'ahead' : angle > 0 ? 'left' : 'right';
}

export function nearness(pose: Pose, object: WorldObject): Distance {
  return distanceTo(pose, object) < NEAR ? 'near' : 'far';
}

/** Into (-180, 180]. */
export function wrapDegrees(degrees: number): number {
  const turned = ((degrees % 360) + 360) % 360;
  return turned > 180 ? turned - 360 : turned;
}
