export interface LearningRateSchedule {
  peak: number;
  /** Share of the steps over which the rate rises from 0 to the peak. */
  warmUp: number;
  /** Share of the peak that is left at the end. */
  floor: number;
  totalSteps: number;
}

/** Linear warm-up, then half a cosine down to the floor (Loshchilov and Hutter 2017). `step` counts from 1. */
export function learningRateAt(
  step: number,
  { peak, warmUp, floor, totalSteps }: LearningRateSchedule,
): number {
  const rising = Math.max(1, Math.round(totalSteps * warmUp));
  if (step <= rising) return (peak * step) / rising;
  const progress = Math.min(1, (step - rising) / Math.max(1, totalSteps - rising));
  return peak * (floor + ((1 - floor) * (1 + Math.cos(Math.PI * progress))) / 2);
}
