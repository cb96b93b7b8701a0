import { GrayImage } from './gray-image.js';

const COLUMNS = 16;
const ROWS = 9;

/** Mean brightness of a 16×9 grid of cells, Float32Array [144]: what is left to compare where there is no texture. */
export function makeThumbnail(image: GrayImage): Float32Array {
  const { width, height, data } = image;
  const sums = new Float32Array(COLUMNS * ROWS);
  const counts = new Float32Array(COLUMNS * ROWS);
  const ends = Array.from({ length: COLUMNS }, (_, column) => ((column + 1) * width) / COLUMNS);
  // Every other pixel of every other row is enough for a mean over 20×20 of them.
  for (let y = 0; y < height; y += 2) {
    const row = Math.floor((y * ROWS) / height) * COLUMNS;
    const from = y * width;
    for (let column = 0, x = 0; column < COLUMNS; column++) {
      const [end, first] = [ends[column]!, x];
      let sum = 0;
      for (; x < end; x += 2) sum += data[from + x]!;
      sums[row + column]! += sum;
      counts[row + column]! += (x - first) / 2;
    }
  }
  return sums.map((sum, i) => sum / Math.max(1, counts[i]!));
}

/** Mean absolute difference in grey levels. */
export function thumbnailDifference(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i] - b[i]);
  return sum / a.length;
}
