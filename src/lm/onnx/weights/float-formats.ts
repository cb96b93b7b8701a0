/** Conversions between the 16-bit floats that weights are stored in and the 32-bit floats that we compute with. */

const scratchFloat = new Float32Array(1);
const scratchBits = new Uint32Array(scratchFloat.buffer);

/** bfloat16 is the upper half of a float32, so widening is exact. */
export function widenBfloat16(source: Uint16Array, target: Float32Array): void {
  const bits = new Uint32Array(target.buffer, target.byteOffset, target.length);
  for (let i = 0; i < source.length; i++) bits[i] = source[i] << 16;
}

/** Rounds to nearest, ties to even, as torch does; NaN stays NaN. */
export function narrowToBfloat16(source: Float32Array, target: Uint16Array): void {
  const bits = new Uint32Array(source.buffer, source.byteOffset, source.length);
  for (let i = 0; i < source.length; i++) {
    const b = bits[i];
    // Rounding could carry a NaN's payload into infinity or zero, so it is made quiet instead.
    if ((b & 0x7fffffff) > 0x7f800000) target[i] = (b >>> 16) | 0x40;
    else target[i] = (b + 0x7fff + ((b >>> 16) & 1)) >>> 16;
  }
}

/** The 65,536 half floats as float32; a table, because subnormals make the arithmetic slow. */
let halfTable: Float32Array | null = null;

function halfToFloat(half: number): number {
  const sign = half & 0x8000 ? -1 : 1;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Exact: every half float is a float32. */
export function widenFloat16(source: Uint16Array, target: Float32Array): void {
  halfTable ??= Float32Array.from({ length: 65536 }, (_, half) => halfToFloat(half));
  for (let i = 0; i < source.length; i++) target[i] = halfTable[source[i]];
}

function floatToHalf(value: number): number {
  scratchFloat[0] = value;
  const bits = scratchBits[0];
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520 is half way between the largest half and the next step, and ties go to even, which is infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) {
    const scaled = Math.abs(scratchFloat[0]) * 2 ** 24;
    const floor = Math.floor(scaled);
    const rest = scaled - floor;
    return sign | (rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor);
  }
  const rebased = magnitude - 0x38000000;
  return sign | ((rebased + 0xfff + ((rebased >>> 13) & 1)) >>> 13);
}

/** Rounds to nearest, ties to even; beyond ±65504 becomes infinite. */
export function narrowToFloat16(source: Float32Array, target: Uint16Array): void {
  for (let i = 0; i < source.length; i++) target[i] = floatToHalf(source[i]);
}
