import { seededRandom } from '../../../src/keyframes/random.js';
import { castRay, Box, Hit, projectPoint, Camera, rayThrough } from './ray.js';
import { addSensorEffects, Scene } from './scene.js';
import { sample, Texture } from './texture.js';

export interface RoomSceneOptions {
  name: string;
  heldOut: boolean;
  textures: readonly Texture[];
  frameCount: number;
  seed: number;
  width?: number;
  height?: number;
  noise?: number;
}

const TEXELS_PER_METRE = 220;
/** The true overlap is counted on a grid of this many columns and rows of the earlier frame. */
const GRID = { columns: 160, rows: 90 };

/** An agent that walks and turns in a furnished room: parallax and hidden surfaces, overlap known from the depth. */
export function makeRoomScene(options: RoomSceneOptions): Scene {
  const { textures, seed, width = 640, height = 360, noise = 3 } = options;
  const random = seededRandom(seed);
  const boxes = furnish(random);
  const cameras = walk(options.frameCount, random, boxes, width, height);
  return {
    name: options.name,
    heldOut: options.heldOut,
    width,
    height,
    frameCount: options.frameCount,
    render(index) {
      const rgb = paint(cameras[index], boxes, textures, width, height);
      addSensorEffects(rgb, seed * 1000 + index, noise);
      return rgb;
    },
    trueOverlap: (current, earlier) => countShared(cameras[current], cameras[earlier], boxes, width, height),
  };
}

/** The room itself is the first box, seen from inside. y points down, the floor lies at 0. */
function furnish(random: () => number): Box[] {
  const room: Box = { low: [-4, -2.6, -3], high: [4, 0, 3] };
  const boxes = [room];
  for (let n = 0; n < 7; n++) {
    const side = random() < 0.5 ? -1 : 1;
    const [x, z] = n % 2 ? [side * 3.2, (random() - 0.5) * 4] : [(random() - 0.5) * 6, side * 2.4];
    const [w, h, d] = [0.3 + 0.4 * random(), 0.5 + 1.3 * random(), 0.3 + 0.4 * random()];
    boxes.push({ low: [x - w, -h, z - d], high: [x + w, 0, z + d] });
  }
  return boxes;
}

function walk(
  frames: number,
  random: () => number,
  boxes: readonly Box[],
  width: number,
  height: number,
): Camera[] {
  const focal = width / 2 / Math.tan((75 * Math.PI) / 360);
  let [x, z, yaw, pitch] = [0, 0, random() * 2 * Math.PI, 0];
  let mode = 0;
  let left = 0;
  return Array.from({ length: frames }, () => {
    if (left-- <= 0) {
      mode = Math.floor(random() * 5);
      left = 2 + Math.floor(random() * 4);
    }
    if (mode < 2) yaw += (mode === 0 ? 1 : -1) * (0.08 + 0.3 * random());
    const stride = mode === 2 ? 0.5 * random() : mode === 3 ? -0.35 * random() : 0;
    const sidestep = mode === 4 ? 0.45 * random() : 0;
    const nextX = x + stride * Math.sin(yaw) + sidestep * Math.cos(yaw);
    const nextZ = z + stride * Math.cos(yaw) - sidestep * Math.sin(yaw);
    if (isFree(nextX, nextZ, boxes)) [x, z] = [nextX, nextZ];
    else left = 0;
    pitch = 0.7 * pitch + 0.08 * (random() - 0.5);
    return { position: [x, -1.5, z], yaw, pitch, focal, width, height };
  });
}

function isFree(x: number, z: number, boxes: readonly Box[]): boolean {
  if (Math.abs(x) > 3.3 || Math.abs(z) > 2.3) return false;
  return boxes
    .slice(1)
    .every((b) => x < b.low[0] - 0.5 || x > b.high[0] + 0.5 || z < b.low[2] - 0.5 || z > b.high[2] + 0.5);
}

function paint(
  camera: Camera,
  boxes: readonly Box[],
  textures: readonly Texture[],
  width: number,
  height: number,
): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  const colour = new Float32Array(3);
  const hit: Hit = { distance: 0, box: 0, axis: 0, u: 0, v: 0 };
  for (let y = 0, o = 0; y < height; y++) {
    for (let x = 0; x < width; x++, o += 3) {
      castRay(camera.position, rayThrough(camera, x, y), boxes, hit);
      const texture = textures[(hit.box * 3 + hit.axis) % textures.length];
      const texelsPerPixel = (TEXELS_PER_METRE * hit.distance) / camera.focal;
      sample(
        texture,
        (hit.u + 10) * TEXELS_PER_METRE,
        (hit.v + 10) * TEXELS_PER_METRE,
        texelsPerPixel,
        colour,
      );
      // One face darker than the other, as under a lamp, so that edges show.
      const shade = 1 - 0.12 * hit.axis;
      for (let c = 0; c < 3; c++) rgb[o + c] = shade * colour[c] + 0.5;
    }
  }
  return rgb;
}

function countShared(
  current: Camera,
  earlier: Camera,
  boxes: readonly Box[],
  width: number,
  height: number,
): number {
  const hit: Hit = { distance: 0, box: 0, axis: 0, u: 0, v: 0 };
  let shared = 0;
  for (let row = 0; row < GRID.rows; row++) {
    for (let column = 0; column < GRID.columns; column++) {
      const ray = rayThrough(
        earlier,
        ((column + 0.5) * width) / GRID.columns,
        ((row + 0.5) * height) / GRID.rows,
      );
      castRay(earlier.position, ray, boxes, hit);
      const point = earlier.position.map((p, i) => p + hit.distance * ray[i]);
      const seen = projectPoint(current, point);
      if (seen === null || seen.x < 0 || seen.y < 0 || seen.x >= width || seen.y >= height) continue;
      const back = point.map((p, i) => (p - current.position[i]) / seen.distance);
      castRay(current.position, back, boxes, hit);
      if (hit.distance > seen.distance * 0.98) shared++;
    }
  }
  return shared / (GRID.rows * GRID.columns);
}
