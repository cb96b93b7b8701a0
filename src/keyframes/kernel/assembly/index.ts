// The inner loops of keyframe selection in AssemblyScript, compiled to WebAssembly with SIMD by build-kernel.sh.
// Pointers are byte offsets into the memory that the caller laid out (see ../kernel.ts); nothing is allocated here.

// ---------------------------------------------------------------- brightness

/** Four pixels from twelve bytes at `at`: (4899 r + 9617 g + 1868 b + 8192) / 16384. */
@inline
function lumaOfFour(at: usize): v128 {
  const one = i16x8.splat(1);
  const rgb = v128.load(at);
  const redGreen = i8x16.shuffle(rgb, one, 0, 17, 1, 17, 3, 17, 4, 17, 6, 17, 7, 17, 9, 17, 10, 17);
  const blueOne = i8x16.shuffle(rgb, one, 2, 17, 16, 17, 5, 17, 16, 17, 8, 17, 16, 17, 11, 17, 16, 17);
  const sum = i32x4.add(
    i32x4.dot_i16x8_s(redGreen, i16x8(4899, 9617, 4899, 9617, 4899, 9617, 4899, 9617)),
    i32x4.dot_i16x8_s(blueOne, i16x8(1868, 8192, 1868, 8192, 1868, 8192, 1868, 8192)),
  );
  return i32x4.shr_u(sum, 14);
}

/** Brightness of `count` RGB pixels: see luma in ../kernel.ts. Writes up to 15 bytes past the last. */
export function luma(rgb: usize, count: i32, out: usize): void {
  for (let i = 0; i < count; i += 16) {
    const at = rgb + <usize>(3 * i);
    const first = i16x8.narrow_i32x4_u(lumaOfFour(at), lumaOfFour(at + 12));
    const second = i16x8.narrow_i32x4_u(lumaOfFour(at + 24), lumaOfFour(at + 36));
    v128.store(out + <usize>i, i8x16.narrow_i16x8_u(first, second));
  }
}

/**
 * Shrinks by weighted sums along the columns, then along the rows: see shrink in ../kernel.ts. Each output pixel's
 * weights sum to 256, so that a sum along a column fits 16 bits.
 *
 * @param starts i32 [n], weights i32 [n, taps], for the output's rows and its columns
 * @param sums u16 [width], scratch with room for 16 more
 */
export function shrink(
  image: usize, width: i32, rowCount: i32, rowTaps: i32, rowStarts: usize, rowWeights: usize,
  columnCount: i32, columnTaps: i32, columnStarts: usize, columnWeights: usize, sums: usize, out: usize,
): void {
  for (let y = 0; y < rowCount; y++) {
    const top = image + <usize>(load<i32>(rowStarts + <usize>(4 * y)) * width);
    const weights = rowWeights + <usize>(4 * y * rowTaps);
    for (let x = 0; x < width; x += 16) {
      let low = i16x8.splat(0), high = i16x8.splat(0);
      for (let tap = 0; tap < rowTaps; tap++) {
        const weight = i16x8.splat(<i16>load<i32>(weights + <usize>(4 * tap)));
        const pixels = v128.load(top + <usize>(tap * width + x));
        low = i16x8.add(low, i16x8.mul(i16x8.extend_low_i8x16_u(pixels), weight));
        high = i16x8.add(high, i16x8.mul(i16x8.extend_high_i8x16_u(pixels), weight));
      }
      v128.store(sums + <usize>(2 * x), low);
      v128.store(sums + <usize>(2 * x), high, 16);
    }
    let weight = columnWeights;
    for (let x = 0; x < columnCount; x++) {
      let from = sums + <usize>(2 * load<i32>(columnStarts + <usize>(4 * x)));
      let sum = 32768;
      for (let tap = 0; tap < columnTaps; tap++, from += 2, weight += 4) sum += load<i32>(weight) * <i32>load<u16>(from);
      store<u8>(out + <usize>(y * columnCount + x), <u8>(sum >> 16));
    }
  }
}

// ---------------------------------------------------------------- corners

// The circle of radius 3 that FAST looks at, clockwise from the top, as offsets in a picture of this width.
@inline
function circle(i: i32, width: i32): i32 {
  switch (i) {
    case 0: return -3 * width;
    case 1: return -3 * width + 1;
    case 2: return -2 * width + 2;
    case 3: return -width + 3;
    case 4: return 3;
    case 5: return width + 3;
    case 6: return 2 * width + 2;
    case 7: return 3 * width + 1;
    case 8: return 3 * width;
    case 9: return 3 * width - 1;
    case 10: return 2 * width - 2;
    case 11: return width - 3;
    case 12: return -3;
    case 13: return -width - 3;
    case 14: return -2 * width - 2;
    default: return -3 * width - 1;
  }
}

@inline
function least(a: v128, b: v128): v128 {
  return v128.min<u8>(a, b);
}

@inline
function most(a: v128, b: v128): v128 {
  return v128.max<u8>(a, b);
}

/** Largest over the 16 arcs of nine neighbours of the least difference in the arc; minima of 2, 4 and 8 are shared. */
@inline
function arcs(
  d0: v128, d1: v128, d2: v128, d3: v128, d4: v128, d5: v128, d6: v128, d7: v128,
  d8: v128, d9: v128, d10: v128, d11: v128, d12: v128, d13: v128, d14: v128, d15: v128,
): v128 {
  const a0 = least(d0, d1), a1 = least(d1, d2), a2 = least(d2, d3), a3 = least(d3, d4);
  const a4 = least(d4, d5), a5 = least(d5, d6), a6 = least(d6, d7), a7 = least(d7, d8);
  const a8 = least(d8, d9), a9 = least(d9, d10), a10 = least(d10, d11), a11 = least(d11, d12);
  const a12 = least(d12, d13), a13 = least(d13, d14), a14 = least(d14, d15), a15 = least(d15, d0);
  const b0 = least(a0, a2), b1 = least(a1, a3), b2 = least(a2, a4), b3 = least(a3, a5);
  const b4 = least(a4, a6), b5 = least(a5, a7), b6 = least(a6, a8), b7 = least(a7, a9);
  const b8 = least(a8, a10), b9 = least(a9, a11), b10 = least(a10, a12), b11 = least(a11, a13);
  const b12 = least(a12, a14), b13 = least(a13, a15), b14 = least(a14, a0), b15 = least(a15, a1);
  let best = least(least(b0, b4), d8);
  best = most(best, least(least(b1, b5), d9));
  best = most(best, least(least(b2, b6), d10));
  best = most(best, least(least(b3, b7), d11));
  best = most(best, least(least(b4, b8), d12));
  best = most(best, least(least(b5, b9), d13));
  best = most(best, least(least(b6, b10), d14));
  best = most(best, least(least(b7, b11), d15));
  best = most(best, least(least(b8, b12), d0));
  best = most(best, least(least(b9, b13), d1));
  best = most(best, least(least(b10, b14), d2));
  best = most(best, least(least(b11, b15), d3));
  best = most(best, least(least(b12, b0), d4));
  best = most(best, least(least(b13, b1), d5));
  best = most(best, least(least(b14, b2), d6));
  return most(best, least(least(b15, b3), d7));
}

@inline
function over(at: usize, i: i32, width: i32, centre: v128): v128 {
  return v128.sub_sat<u8>(v128.load(at + circle(i, width)), centre);
}

@inline
function under(at: usize, i: i32, width: i32, centre: v128): v128 {
  return v128.sub_sat<u8>(centre, v128.load(at + circle(i, width)));
}

/**
 * FAST-9 scores of a picture, sixteen pixels at a time: see scoreCorners in ../kernel.ts. Writes up to 15 bytes past
 * the last column of the border, which the caller clears by keeping the border wider than that.
 */
export function scoreCorners(image: usize, width: i32, height: i32, threshold: i32, border: i32, scores: usize): void {
  memory.fill(scores, 0, <usize>(width * height));
  const limit = i8x16.splat(<i8>threshold);
  for (let y = border; y < height - border; y++) {
    const end = y * width + width - border;
    for (let x = y * width + border; x < end; x += 16) {
      const at = image + <usize>x;
      const centre = v128.load(at);
      // Nine in a row cover one of each pair of opposite points.
      const n = v128.load(at + circle(0, width)), e = v128.load(at + circle(4, width));
      const s = v128.load(at + circle(8, width)), w = v128.load(at + circle(12, width));
      const bright = least(most(v128.sub_sat<u8>(n, centre), v128.sub_sat<u8>(s, centre)),
                           most(v128.sub_sat<u8>(e, centre), v128.sub_sat<u8>(w, centre)));
      const dark = least(most(v128.sub_sat<u8>(centre, n), v128.sub_sat<u8>(centre, s)),
                         most(v128.sub_sat<u8>(centre, e), v128.sub_sat<u8>(centre, w)));
      if (!v128.any_true(v128.gt<u8>(most(bright, dark), limit))) continue;
      let best = i8x16.splat(0);
      if (v128.any_true(v128.gt<u8>(bright, limit))) {
        best = arcs(
          over(at, 0, width, centre), over(at, 1, width, centre), over(at, 2, width, centre), over(at, 3, width, centre),
          over(at, 4, width, centre), over(at, 5, width, centre), over(at, 6, width, centre), over(at, 7, width, centre),
          over(at, 8, width, centre), over(at, 9, width, centre), over(at, 10, width, centre), over(at, 11, width, centre),
          over(at, 12, width, centre), over(at, 13, width, centre), over(at, 14, width, centre), over(at, 15, width, centre),
        );
      }
      if (v128.any_true(v128.gt<u8>(dark, limit))) {
        best = most(best, arcs(
          under(at, 0, width, centre), under(at, 1, width, centre), under(at, 2, width, centre), under(at, 3, width, centre),
          under(at, 4, width, centre), under(at, 5, width, centre), under(at, 6, width, centre), under(at, 7, width, centre),
          under(at, 8, width, centre), under(at, 9, width, centre), under(at, 10, width, centre), under(at, 11, width, centre),
          under(at, 12, width, centre), under(at, 13, width, centre), under(at, 14, width, centre), under(at, 15, width, centre),
        ));
      }
      v128.store(scores + <usize>x, v128.and(best, v128.gt<u8>(best, limit)));
    }
    memory.fill(scores + <usize>end, 0, <usize>border); // what the last sixteen wrote into the border
  }
}

// ---------------------------------------------------------------- smoothing

@inline
function binomial(at: usize, step: i32): v128 {
  const six = i16x8.splat(6), eight = i16x8.splat(8);
  const a = v128.load(at - 2 * step), b = v128.load(at - step), c = v128.load(at);
  const d = v128.load(at + step), e = v128.load(at + 2 * step);
  const low = i16x8.add(i16x8.add(i16x8.extend_low_i8x16_u(a), i16x8.extend_low_i8x16_u(e)), i16x8.add(
    i16x8.shl(i16x8.add(i16x8.extend_low_i8x16_u(b), i16x8.extend_low_i8x16_u(d)), 2),
    i16x8.add(i16x8.mul(i16x8.extend_low_i8x16_u(c), six), eight)));
  const high = i16x8.add(i16x8.add(i16x8.extend_high_i8x16_u(a), i16x8.extend_high_i8x16_u(e)), i16x8.add(
    i16x8.shl(i16x8.add(i16x8.extend_high_i8x16_u(b), i16x8.extend_high_i8x16_u(d)), 2),
    i16x8.add(i16x8.mul(i16x8.extend_high_i8x16_u(c), six), eight)));
  return i8x16.narrow_i16x8_u(i16x8.shr_u(low, 4), i16x8.shr_u(high, 4));
}

/** Binomial smoothing 1 4 6 4 1 in both directions: see describe in ../kernel.ts. */
export function smooth(image: usize, width: i32, height: i32, scratch: usize, out: usize): void {
  const size = width * height;
  memory.copy(scratch, image, <usize>(2 * width));
  memory.copy(scratch + <usize>(size - 2 * width), image + <usize>(size - 2 * width), <usize>(2 * width));
  run(image, width, 2 * width, size - 2 * width, scratch);
  memory.copy(out, scratch, 2);
  memory.copy(out + <usize>(size - 2), scratch + <usize>(size - 2), 2);
  run(scratch, 1, 2, size - 2, out);
}

function run(from: usize, step: i32, first: i32, end: i32, to: usize): void {
  let i = first;
  for (; i + 16 <= end; i += 16) v128.store(to + <usize>i, binomial(from + <usize>i, step));
  for (; i < end; i++) {
    const at = from + <usize>i;
    const outer = <i32>load<u8>(at - 2 * step) + <i32>load<u8>(at + 2 * step);
    const inner = <i32>load<u8>(at - step) + <i32>load<u8>(at + step);
    store<u8>(to + <usize>i, <u8>((outer + 4 * inner + 6 * <i32>load<u8>(at) + 8) >> 4));
  }
}

// ---------------------------------------------------------------- descriptors

/**
 * 256-bit descriptors: see describe in ../kernel.ts.
 *
 * @param patterns i8 [directions, 256, 4]: x, y of the first point, x, y of the second, from the corner
 * @param corners i32 [count], offsets of the corners in the picture
 * @param directions i32 [count]
 * @param out u8 [count, 32]
 */
export function describe(
  image: usize, width: i32, patterns: usize, corners: usize, directions: usize, count: i32, out: usize,
): void {
  for (let n = 0; n < count; n++) {
    const at = image + <usize>load<i32>(corners + <usize>(4 * n));
    let pattern = patterns + <usize>load<i32>(directions + <usize>(4 * n)) * 1024;
    for (let word = 0; word < 8; word++) {
      let bits: u32 = 0;
      for (let bit = 0; bit < 32; bit++, pattern += 4) {
        const first = load<u8>(at + <i32>load<i8>(pattern) + <i32>load<i8>(pattern, 1) * width);
        const second = load<u8>(at + <i32>load<i8>(pattern, 2) + <i32>load<i8>(pattern, 3) * width);
        bits |= <u32>(first < second) << bit;
      }
      store<u32>(out + <usize>(32 * n + 4 * word), bits);
    }
  }
}

// ---------------------------------------------------------------- matching

/**
 * For each of two sets of 256-bit descriptors the nearest in the other, by Hamming distance; of equals the first.
 *
 * @param first u8 [n, 32]
 * @param second u8 [m, 32]
 * @param forward i32 [n, 2]: place in the second set and distance
 * @param backward i32 [m, 2]: place in the first set and distance
 */
export function nearest(first: usize, n: i32, second: usize, m: i32, forward: usize, backward: usize): void {
  for (let j = 0; j < m; j++) {
    store<i32>(backward + <usize>(8 * j), -1);
    store<i32>(backward + <usize>(8 * j), 257, 4);
  }
  for (let i = 0; i < n; i++) {
    const a = first + <usize>(32 * i);
    const a0 = load<u64>(a), a1 = load<u64>(a, 8), a2 = load<u64>(a, 16), a3 = load<u64>(a, 24);
    let best = 257;
    let place = -1;
    let b = second;
    let back = backward;
    for (let j = 0; j < m; j++, b += 32, back += 8) {
      const distance = <i32>(
        popcnt(a0 ^ load<u64>(b)) + popcnt(a1 ^ load<u64>(b, 8)) + popcnt(a2 ^ load<u64>(b, 16)) + popcnt(a3 ^ load<u64>(b, 24))
      );
      if (distance < best) {
        best = distance;
        place = j;
      }
      if (distance < load<i32>(back, 4)) {
        store<i32>(back, i);
        store<i32>(back, distance, 4);
      }
    }
    store<i32>(forward + <usize>(8 * i), place);
    store<i32>(forward + <usize>(8 * i), best, 4);
  }
}
