export interface Size {
  width: number;
  height: number;
}

/**
 * The size at which a picture is looked at: its long side at most `maxSide`, both sides even, its shape kept to the
 * nearest even side, never enlarged except to 2 × 2.
 */
export function scaledSize({ width, height }: Size, maxSide: number): Size {
  const factor = Math.min(1, evenLimit(maxSide) / Math.max(width, height));
  return { width: evenSide(width, factor), height: evenSide(height, factor) };
}

/** The largest even side within the limit. */
export function evenLimit(maxSide: number): number {
  return 2 * Math.trunc(maxSide / 2);
}

function evenSide(side: number, factor: number): number {
  return 2 * Math.max(1, Math.min(Math.round((side * factor) / 2), Math.trunc(side / 2)));
}
