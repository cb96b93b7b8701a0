/** An axis-aligned box in metres; y points down. */
export interface Box {
  low: readonly number[];
  high: readonly number[];
}

export interface Camera {
  position: readonly number[];
  /** Turn to the right about the vertical, and upward tilt, in radians. */
  yaw: number;
  pitch: number;
  /** In pixels. */
  focal: number;
  width: number;
  height: number;
}

export interface Hit {
  distance: number;
  box: number;
  /** Axis the face is square to. */
  axis: number;
  /** Place on the face, in metres. */
  u: number;
  v: number;
}

/** Direction, of length 1, that a pixel looks in. */
export function rayThrough(camera: Camera, x: number, y: number): number[] {
  const right = (x - camera.width / 2) / camera.focal;
  const down = (y - camera.height / 2) / camera.focal;
  const [cosPitch, sinPitch] = [Math.cos(camera.pitch), Math.sin(camera.pitch)];
  const level = cosPitch + down * sinPitch;
  const dy = down * cosPitch - sinPitch;
  const [cosYaw, sinYaw] = [Math.cos(camera.yaw), Math.sin(camera.yaw)];
  const dx = right * cosYaw + level * sinYaw;
  const dz = level * cosYaw - right * sinYaw;
  const length = Math.hypot(dx, dy, dz);
  return [dx / length, dy / length, dz / length];
}

/** Where a point appears and how far it is; null behind the camera. */
export function projectPoint(
  camera: Camera,
  point: readonly number[],
): { x: number; y: number; distance: number } | null {
  const [dx, dy, dz] = point.map((p, i) => p - camera.position[i]);
  const [cosYaw, sinYaw] = [Math.cos(camera.yaw), Math.sin(camera.yaw)];
  const right = dx * cosYaw - dz * sinYaw;
  const level = dx * sinYaw + dz * cosYaw;
  const [cosPitch, sinPitch] = [Math.cos(camera.pitch), Math.sin(camera.pitch)];
  const depth = level * cosPitch - dy * sinPitch;
  const down = level * sinPitch + dy * cosPitch;
  if (depth <= 1e-6) return null;
  return {
    x: camera.width / 2 + (camera.focal * right) / depth,
    y: camera.height / 2 + (camera.focal * down) / depth,
    distance: Math.hypot(dx, dy, dz),
  };
}

/** The nearest face a ray meets; the first box is met from inside, the others from outside. */
export function castRay(
  origin: readonly number[],
  ray: readonly number[],
  boxes: readonly Box[],
  hit: Hit,
): void {
  hit.distance = Infinity;
  for (let n = 0; n < boxes.length; n++) {
    const { low, high } = boxes[n];
    let [enter, leave, enterAxis, leaveAxis] = [-Infinity, Infinity, 0, 0];
    for (let axis = 0; axis < 3; axis++) {
      const a = (low[axis] - origin[axis]) / ray[axis];
      const b = (high[axis] - origin[axis]) / ray[axis];
      const [near, far] = a < b ? [a, b] : [b, a];
      if (near > enter) [enter, enterAxis] = [near, axis];
      if (far < leave) [leave, leaveAxis] = [far, axis];
    }
    if (enter >= leave) continue;
    const distance = n === 0 ? leave : enter;
    if (distance <= 1e-6 || distance >= hit.distance) continue;
    hit.distance = distance;
    hit.box = n;
    hit.axis = n === 0 ? leaveAxis : enterAxis;
  }
  const at = origin.map((o, i) => o + hit.distance * ray[i]);
  hit.u = hit.axis === 0 ? at[2] : at[0];
  hit.v = hit.axis === 1 ? at[2] : at[1];
}
