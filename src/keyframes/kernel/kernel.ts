import { DESCRIPTOR_BYTES, turnPattern } from '../brief.js';
import { GrayImage } from '../gray-image.js';
import { KERNEL_BASE64 } from './kernel-code.js';

interface Exports {
  luma(rgb: number, count: number, out: number): void;
  shrink(
    image: number,
    width: number,
    rowCount: number,
    rowTaps: number,
    rowStarts: number,
    rowWeights: number,
    columnCount: number,
    columnTaps: number,
    columnStarts: number,
    columnWeights: number,
    sums: number,
    out: number,
  ): void;
  scoreCorners(
    image: number,
    width: number,
    height: number,
    threshold: number,
    border: number,
    scores: number,
  ): void;
  smooth(image: number, width: number, height: number, scratch: number, out: number): void;
  describe(
    image: number,
    width: number,
    patterns: number,
    corners: number,
    directions: number,
    count: number,
    out: number,
  ): void;
  nearest(first: number, n: number, second: number, m: number, forward: number, backward: number): void;
}

/** What each output pixel takes of the pixels it covers along one direction. */
export interface Taps {
  /** Pixels that each may take of. */
  count: number;
  /** [n], the first of them */
  starts: Int32Array;
  /** [n, count], in 1/256; each output pixel's sum to 256 */
  weights: Int32Array;
}

const PAGE = 65_536;

/** The inner loops of keyframe selection in WebAssembly; one for each thread. Results are valid until the next call. */
export class Kernel {
  private readonly memory = new WebAssembly.Memory({ initial: 1 });
  private readonly wasm: Exports;
  private readonly patternsEnd: number;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(KERNEL_BASE64, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    this.wasm = exports as unknown as Exports;
    const patterns = turnPattern();
    this.reserve(patterns.length);
    new Int8Array(this.memory.buffer).set(patterns);
    this.patternsEnd = patterns.length;
  }

  /**
   * Brightness, (4899 r + 9617 g + 1868 b) / 16384 rounded: ITU-R BT.601 as in OpenCV's conversion to grey.
   *
   * @param rgb [n, 3]
   * @returns [n]
   */
  luma(rgb: Uint8Array): Uint8Array {
    const count = rgb.length / 3;
    const [from, out] = this.lay(rgb.length, count);
    new Uint8Array(this.memory.buffer, from, rgb.length).set(rgb);
    this.wasm.luma(from, count, out);
    return new Uint8Array(this.memory.buffer, out, count);
  }

  /**
   * Brightness of a picture, shrunk: down its columns, kept in 16 bits, then along its rows, rounded once.
   *
   * @param rgb [height, width, 3]
   * @returns [rows.starts.length, columns.starts.length]
   */
  shrunkLuma(rgb: Uint8Array, width: number, rows: Taps, columns: Taps): Uint8Array {
    const size = rgb.length / 3;
    const [height, across] = [rows.starts.length, columns.starts.length];
    const tables = [rows.starts, rows.weights, columns.starts, columns.weights];
    const places = this.lay(
      rgb.length,
      size,
      2 * width + 32,
      height * across,
      ...tables.map((table) => table.byteLength),
    );
    const [from, image, sums, out, rowStarts, rowWeights, columnStarts, columnWeights] = places;
    const { buffer } = this.memory;
    new Uint8Array(buffer, from, rgb.length).set(rgb);
    tables.forEach((table, i) => new Int32Array(buffer, places[4 + i], table.length).set(table));
    this.wasm.luma(from, size, image);
    this.wasm.shrink(
      image,
      width,
      height,
      rows.count,
      rowStarts,
      rowWeights,
      across,
      columns.count,
      columnStarts,
      columnWeights,
      sums,
      out,
    );
    return new Uint8Array(buffer, out, height * across);
  }

  /**
   * FAST-9 score of every pixel (Rosten and Drummond 2006): the largest threshold at which nine neighbours in a row on
   * a circle of radius 3 are all brighter, or all darker; 0 where it does not exceed `threshold`, and in the border.
   *
   * @param border at least 16
   * @returns [height, width]
   */
  scoreCorners({ width, height, data }: GrayImage, threshold: number, border: number): Uint8Array {
    const size = width * height;
    const [image, scores] = this.lay(size, size);
    new Uint8Array(this.memory.buffer, image, size).set(data);
    this.wasm.scoreCorners(image, width, height, threshold, border, scores);
    return new Uint8Array(this.memory.buffer, scores, size);
  }

  /**
   * Smooths with the binomial kernel 1 4 6 4 1 in both directions, so that a single noisy pixel does not flip a bit,
   * and writes the 256 comparisons of each corner's turned pattern (BRIEF, Calonder et al. 2010).
   *
   * @param corners [n] offsets in the picture, at least PATTERN_RADIUS + 2 from its edge
   * @param directions [n] steps of 6°
   * @returns [n, 32]
   */
  describe({ width, height, data }: GrayImage, corners: Int32Array, directions: Int32Array): Uint8Array {
    const size = width * height;
    const count = corners.length;
    const sizes = [size, size, size, 4 * count, 4 * count, count * DESCRIPTOR_BYTES];
    const [image, scratch, smoothed, at, turn, out] = this.lay(...sizes) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const { buffer } = this.memory;
    new Uint8Array(buffer, image, size).set(data);
    new Int32Array(buffer, at, count).set(corners);
    new Int32Array(buffer, turn, count).set(directions);
    this.wasm.smooth(image, width, height, scratch, smoothed);
    this.wasm.describe(smoothed, width, 0, at, turn, count, out);
    return new Uint8Array(buffer, out, count * DESCRIPTOR_BYTES);
  }

  /**
   * Nearest neighbours by Hamming distance in both directions; of equals the first.
   *
   * @param first [n, 32]
   * @param second [m, 32]
   * @returns [n, 2] and [m, 2]: place in the other set (−1 when it is empty) and distance
   */
  nearest(first: Uint8Array, second: Uint8Array): { forward: Int32Array; backward: Int32Array } {
    const [n, m] = [first.length / DESCRIPTOR_BYTES, second.length / DESCRIPTOR_BYTES];
    const [a, b, forward, backward] = this.lay(first.length, second.length, 8 * n, 8 * m) as [
      number,
      number,
      number,
      number,
    ];
    const { buffer } = this.memory;
    new Uint8Array(buffer, a, first.length).set(first);
    new Uint8Array(buffer, b, second.length).set(second);
    this.wasm.nearest(a, n, b, m, forward, backward);
    return {
      forward: new Int32Array(buffer, forward, 2 * n),
      backward: new Int32Array(buffer, backward, 2 * m),
    };
  }

  /** Places for blocks of these sizes after the patterns, at multiples of 16. */
  private lay(...sizes: number[]): number[] {
    let end = this.patternsEnd;
    const places = sizes.map((size) => {
      const place = end;
      end = (end + size + 15) & ~15;
      return place;
    });
    this.reserve(end + 16); // vectors may read past the last block
    return places;
  }

  private reserve(bytes: number): void {
    const missing = bytes - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE));
  }
}

/** The kernel of this thread. */
export const kernel = new Kernel();
