/** AdamW (Loshchilov and Hutter 2019). */
export interface AdamWOptions {
  learningRate: number;
  beta1: number;
  beta2: number;
  epsilon: number;
  weightDecay: number;
}

/** First and second moments, shaped like the weight. */
export interface AdamWMoments {
  first: Float32Array;
  second: Float32Array;
}

/**
 * One update in place.
 *
 * @param step from 1
 * @param gradientScale multiplies the gradient, such as for clipping, without a pass of its own
 */
export function adamWStep(
  weight: Float32Array,
  gradient: Float32Array,
  moments: AdamWMoments,
  step: number,
  { learningRate, beta1, beta2, epsilon, weightDecay }: AdamWOptions,
  gradientScale = 1,
): void {
  const { first, second } = moments;
  const correction1 = 1 - beta1 ** step;
  const correction2 = Math.sqrt(1 - beta2 ** step);
  const rate = learningRate / correction1;
  const decay = 1 - learningRate * weightDecay;
  for (let i = 0; i < weight.length; i++) {
    const g = gradient[i]! * gradientScale;
    const m = beta1 * first[i]! + (1 - beta1) * g;
    const v = beta2 * second[i]! + (1 - beta2) * g * g;
    first[i] = m;
    second[i] = v;
    weight[i] = weight[i]! * decay - (rate * m) / (Math.sqrt(v) / correction2 + epsilon);
  }
}

/** √Σ g² over all gradients, in double precision. */
export function globalNorm(gradients: Iterable<Float32Array>): number {
  let sum = 0;
  for (const gradient of gradients) {
    for (let i = 0; i < gradient.length; i++) sum += gradient[i]! * gradient[i]!;
  }
  return Math.sqrt(sum);
}

/** Factor that brings a gradient of this norm down to the largest allowed one; as torch does, it leaves 1e-6 of room. */
export function clipScale(norm: number, largest: number): number {
  return Math.min(1, largest / (norm + 1e-6));
}
