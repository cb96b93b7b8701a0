import { type Pose } from '../camera-path.js';
import { type PlacedObject, type ScenePlan } from './scene-plan.js';

/** Half extents of an object's footprint in the world's axes, whatever its turn. */
export function footprint(object: Pick<PlacedObject, 'size' | 'yawDegrees'>): [number, number] {
  const yaw = (object.yawDegrees * Math.PI) / 180;
  const [width, , depth] = object.size;
  return [
    (Math.abs(Math.cos(yaw)) * width + Math.abs(Math.sin(yaw)) * depth) / 2,
    (Math.abs(Math.sin(yaw)) * width + Math.abs(Math.cos(yaw)) * depth) / 2,
  ];
}

/** Whether the camera keeps at least `margin` metres from every wall, floor and object. */
export function isFree(plan: ScenePlan, pose: Pose, margin: number): boolean {
  const inside = (centre: readonly number[], half: readonly number[]): boolean =>
    Math.abs(pose.x - centre[0]) < half[0] + margin &&
    Math.abs(pose.y - centre[1]) < half[1] + margin &&
    Math.abs(pose.z - centre[2]) < half[2] + margin;
  const hitsPanel = plan.panels.some(({ centre, size }) =>
    inside(centre, [size[0] / 2, size[1] / 2, size[2] / 2]),
  );
  const hitsObject = plan.objects.some((object) => {
    const [halfX, halfZ] = footprint(object);
    const [x, y, z] = object.position;
    return inside([x, y + object.size[1] / 2, z], [halfX, object.size[1] / 2, halfZ]);
  });
  return !hitsPanel && !hitsObject;
}
