import { seededRandom } from '../../../src/keyframes/random.js';

/** A picture to paint surfaces with, and the same at a half, a quarter, … of its size. */
export interface Texture {
  levels: { width: number; height: number; rgb: Uint8Array }[];
}

export function toTexture(width: number, height: number, rgb: Uint8Array): Texture {
  const levels = [{ width, height, rgb }];
  for (let last = levels[0]; last.width >= 32 && last.height >= 32; last = levels[levels.length - 1]) {
    levels.push(halve(last.width, last.height, last.rgb));
  }
  return { levels };
}

function halve(width: number, height: number, rgb: Uint8Array): Texture['levels'][number] {
  const half = {
    width: width >> 1,
    height: height >> 1,
    rgb: new Uint8Array((width >> 1) * (height >> 1) * 3),
  };
  const stride = width * 3;
  for (let y = 0; y < half.height; y++) {
    for (let i = 0; i < half.width * 3; i++) {
      const at = 2 * y * stride + 6 * Math.floor(i / 3) + (i % 3);
      half.rgb[y * half.width * 3 + i] =
        (rgb[at] + rgb[at + 3] + rgb[at + stride] + rgb[at + stride + 3] + 2) >> 2;
    }
  }
  return half;
}

/** A made-up surface: blotches with blocks and discs of random size and colour over them. */
export function paintTexture(width: number, height: number, seed: number): Texture {
  const random = seededRandom(seed);
  const rgb = new Uint8Array(width * height * 3).fill(128);
  const shapes = Math.round((width * height) / 700);
  for (let n = 0; n < shapes; n++) {
    const size = 3 + 60 * random() ** 3;
    const [cx, cy] = [random() * width, random() * height];
    const colour = [random() * 255, random() * 255, random() * 255];
    const round = random() < 0.4;
    const [w, h] = [size * (0.3 + random()), size * (0.3 + random())];
    for (let y = Math.max(0, Math.ceil(cy - h)); y < Math.min(height, cy + h); y++) {
      for (let x = Math.max(0, Math.ceil(cx - w)); x < Math.min(width, cx + w); x++) {
        if (round && ((x - cx) / w) ** 2 + ((y - cy) / h) ** 2 > 1) continue;
        for (let c = 0; c < 3; c++) rgb[3 * (y * width + x) + c] = colour[c];
      }
    }
  }
  return toTexture(width, height, rgb);
}

/** Colour at a place, in texels of the full size, mirrored beyond the edges; blended from four neighbours. */
export function sample(
  texture: Texture,
  u: number,
  v: number,
  texelsPerPixel: number,
  out: Float32Array,
): void {
  let level = 0;
  let scale = 1;
  while (texelsPerPixel > 1.5 * scale && level < texture.levels.length - 1) {
    level++;
    scale *= 2;
  }
  const { width, height, rgb } = texture.levels[level];
  const x = (u + 0.5) / scale - 0.5;
  const y = (v + 0.5) / scale - 0.5;
  const [x0, y0] = [Math.floor(x), Math.floor(y)];
  const [fx, fy] = [x - x0, y - y0];
  const left = mirror(x0, width);
  const right = mirror(x0 + 1, width);
  const top = mirror(y0, height) * width;
  const bottom = mirror(y0 + 1, height) * width;
  for (let c = 0; c < 3; c++) {
    const upper = rgb[3 * (top + left) + c] * (1 - fx) + rgb[3 * (top + right) + c] * fx;
    const lower = rgb[3 * (bottom + left) + c] * (1 - fx) + rgb[3 * (bottom + right) + c] * fx;
    out[c] = upper * (1 - fy) + lower * fy;
  }
}

function mirror(position: number, size: number): number {
  const wrapped = ((position % (2 * size)) + 2 * size) % (2 * size);
  return wrapped < size ? wrapped : 2 * size - 1 - wrapped;
}
