export interface Size {
  width: number;
  height: number;
}

/**
 * The size at which a picture is looked at: its long side at most `maxSide`, both sides even, never enlarged except
 * to 2 × 2. Rounds down, so that the limit holds; a side may lose one pixel to evenness.
 */
export function scaledSize({ width, height }: Size, maxSide: number): Size {
  const factor = Math.min(1, maxSide / Math.max(width, height));
  return { width: evenSide(width * factor), height: evenSide(height * factor) };
}

// The small addend keeps 1920 · (640 / 1920), which floating point may put just below 640, at 640.
function evenSide(side: number): number {
  return 2 * Math.max(1, Math.trunc(side / 2 + 1e-6));
}
