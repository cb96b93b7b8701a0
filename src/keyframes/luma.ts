import { GrayImage } from './gray-image.js';

// ITU-R BT.601 weights in 1/16384, as OpenCV's RGB to grey conversion has them.
const RED = 4899;
const GREEN = 9617;
const BLUE = 1868;

/** Size of the picture that features are taken from: at most `maxWidth` wide, same shape. */
export function analysisSize(
  width: number,
  height: number,
  maxWidth: number,
): { width: number; height: number } {
  if (width <= maxWidth) return { width, height };
  return { width: maxWidth, height: Math.max(1, Math.round((height * maxWidth) / width)) };
}

/**
 * Luma of an RGB picture, shrunk by averaging over the area each output pixel covers.
 *
 * @param rgb [height, width, 3]
 */
export function shrinkToLuma(rgb: Uint8Array, width: number, height: number, out: GrayImage): void {
  if (out.width === width && out.height === height) return convert(rgb, out.data);
  if (out.width * 2 === width && out.height * 2 === height) return halve(rgb, width, out);
  shrinkByArea(rgb, width, height, out);
}

function convert(rgb: Uint8Array, out: Uint8Array): void {
  for (let i = 0, p = 0; i < out.length; i++, p += 3) {
    out[i] = (rgb[p] * RED + rgb[p + 1] * GREEN + rgb[p + 2] * BLUE + 8192) >> 14;
  }
}

/** To half the size, without fractional weights. */
function halve(rgb: Uint8Array, width: number, out: GrayImage): void {
  const stride = width * 3;
  let o = 0;
  for (let y = 0; y < out.height; y++) {
    let p = 2 * y * stride;
    for (let x = 0; x < out.width; x++, p += 6) {
      const q = p + stride;
      const red = rgb[p] + rgb[p + 3] + rgb[q] + rgb[q + 3];
      const green = rgb[p + 1] + rgb[p + 4] + rgb[q + 1] + rgb[q + 4];
      const blue = rgb[p + 2] + rgb[p + 5] + rgb[q + 2] + rgb[q + 5];
      out.data[o++] = (red * RED + green * GREEN + blue * BLUE + 32768) >> 16;
    }
  }
}

function shrinkByArea(rgb: Uint8Array, width: number, height: number, out: GrayImage): void {
  const scaleX = width / out.width;
  const scaleY = height / out.height;
  const row = new Float32Array(width);
  const sums = new Float32Array(out.width);
  const inverseArea = 1 / (scaleX * scaleY);
  for (let y = 0; y < out.height; y++) {
    const top = y * scaleY;
    const bottom = Math.min(height, top + scaleY);
    row.fill(0);
    for (let sy = Math.floor(top); sy < bottom; sy++) {
      const weight = (Math.min(bottom, sy + 1) - Math.max(top, sy)) / 16384;
      for (let x = 0, p = sy * width * 3; x < width; x++, p += 3) {
        row[x] += weight * (rgb[p] * RED + rgb[p + 1] * GREEN + rgb[p + 2] * BLUE);
      }
    }
    sumColumns(row, scaleX, sums);
    for (let x = 0, o = y * out.width; x < out.width; x++, o++) out.data[o] = sums[x] * inverseArea + 0.5;
  }
}

function sumColumns(row: Float32Array, scaleX: number, sums: Float32Array): void {
  for (let x = 0; x < sums.length; x++) {
    const left = x * scaleX;
    const right = Math.min(row.length, left + scaleX);
    let sum = 0;
    for (let sx = Math.floor(left); sx < right; sx++) {
      sum += row[sx] * (Math.min(right, sx + 1) - Math.max(left, sx));
    }
    sums[x] = sum;
  }
}
