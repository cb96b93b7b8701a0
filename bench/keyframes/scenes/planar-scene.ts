import { Homography, invert, multiply } from '../../../src/keyframes/homography.js';
import { overlapRatio } from '../../../src/keyframes/overlap.js';
import { seededRandom } from '../../../src/keyframes/random.js';
import { addSensorEffects, Scene } from './scene.js';
import { sample, Texture } from './texture.js';

export interface PlanarSceneOptions {
  name: string;
  heldOut: boolean;
  texture: Texture;
  frameCount: number;
  seed: number;
  width?: number;
  height?: number;
  noise?: number;
  /** Texels of the picture per frame pixel. */
  zoom?: number;
}

/** A camera that pans, turns, tilts and zooms over one flat picture: the overlap is exact. */
export function makePlanarScene(options: PlanarSceneOptions): Scene {
  const { texture, seed, width = 640, height = 360, noise = 3, zoom = 1 } = options;
  const views = wander(options, width, height, zoom);
  return {
    name: options.name,
    heldOut: options.heldOut,
    width,
    height,
    frameCount: options.frameCount,
    render(index) {
      const rgb = paint(texture, views[index], width, height, zoom);
      addSensorEffects(rgb, seed * 1000 + index, noise);
      return rgb;
    },
    trueOverlap(current, earlier) {
      return overlapRatio(multiply(invert(views[earlier]), views[current]), width, height);
    },
  };
}

/** Frame → picture, one map for each frame. */
function wander(options: PlanarSceneOptions, width: number, height: number, zoom: number): Homography[] {
  const random = seededRandom(options.seed);
  const bell = () => random() + random() + random() - 1.5;
  const base = options.texture.levels[0];
  let [x, y, turn, size, tiltX, tiltY] = [base.width / 2, base.height / 2, 0, 1, 0, 0];
  let heading = random() * 2 * Math.PI;
  return Array.from({ length: options.frameCount }, () => {
    heading += bell();
    const speed = 0.22 * random() * width * zoom;
    x += speed * Math.cos(heading);
    y += 0.6 * speed * Math.sin(heading);
    turn = 0.9 * turn + 0.12 * bell();
    size = Math.exp(0.85 * Math.log(size) + 0.12 * bell());
    tiltX = 0.8 * tiltX + 0.12 * bell();
    tiltY = 0.8 * tiltY + 0.12 * bell();
    const s = zoom * size;
    const centre = Float64Array.of(1, 0, -width / 2, 0, 1, -height / 2, 0, 0, 1);
    const tilt = Float64Array.of(1, 0, 0, 0, 1, 0, tiltX / width, tiltY / width, 1);
    const [cos, sin] = [s * Math.cos(turn), s * Math.sin(turn)];
    const place = Float64Array.of(cos, -sin, x, sin, cos, y, 0, 0, 1);
    return multiply(place, multiply(tilt, centre));
  });
}

function paint(texture: Texture, view: Homography, width: number, height: number, zoom: number): Uint8Array {
  const rgb = new Uint8Array(width * height * 3);
  const colour = new Float32Array(3);
  for (let y = 0, o = 0; y < height; y++) {
    for (let x = 0; x < width; x++, o += 3) {
      const w = view[6] * x + view[7] * y + view[8];
      const u = (view[0] * x + view[1] * y + view[2]) / w;
      const v = (view[3] * x + view[4] * y + view[5]) / w;
      sample(texture, u, v, zoom, colour);
      rgb[o] = colour[0] + 0.5;
      rgb[o + 1] = colour[1] + 0.5;
      rgb[o + 2] = colour[2] + 0.5;
    }
  }
  return rgb;
}
