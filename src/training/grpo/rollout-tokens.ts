/** Tokens of the completions of one update, one completion after the other. N completions, M tokens. */
export interface RolloutTokens {
  /** [N + 1]: the tokens of completion i are those from `starts[i]` to before `starts[i + 1]`. */
  starts: Int32Array;
  /** [N] */
  advantages: Float32Array;
  /** [M], under the policy that is being trained. */
  logprobs: Float32Array;
  /** [M], under the policy as it was when it sampled, told by the trainer. */
  oldLogprobs: Float32Array;
  /** [M], as the sampler told them. */
  samplerLogprobs: Float32Array;
  /** [M], under the reference policy; null when there is no KL term. */
  referenceLogprobs: Float32Array | null;
}

export interface LossOptions {
  /** ε: a ratio below 1 − clipLow is clipped. */
  clipLow: number;
  /** A ratio above 1 + clipHigh is clipped; larger than `clipLow` is DAPO's clip-higher. */
  clipHigh: number;
  /** CISPO: largest weight of a token. */
  maxRatio: number;
  /** β, weight of the KL divergence to the reference; 0 is off. */
  klWeight: number;
  /** Truncated importance sampling: largest correction of a token for what the sampler thought of it; 0 is off. */
  maxImportance: number;
  /** Longest completion, by which Dr. GRPO divides. */
  maxCompletionTokens: number;
}

export interface LossResult {
  loss: number;
  /** [M]: ∂loss / ∂logprob. */
  tokenGradient: Float32Array;
  /** Share of the tokens whose gradient was cut off, below and above. */
  clippedLow: number;
  clippedHigh: number;
  /** Largest ratio of the policy to the one that sampled. */
  ratioMax: number;
  /** Mean KL divergence to the reference per token (k3); null without a reference. */
  kl: number | null;
}

/** One variant of the policy-gradient loss. */
export type PolicyLoss = (tokens: RolloutTokens, options: LossOptions) => LossResult;

/** exp overflows beyond; a ratio that large is clipped or harmless anyway. */
const MAX_LOG_RATIO = 20;

/** exp(a − b), finite. */
export function ratioOf(logprob: number, other: number): number {
  return Math.exp(Math.max(-MAX_LOG_RATIO, Math.min(MAX_LOG_RATIO, logprob - other)));
}

/** Tokens of a completion. */
export function lengthOf({ starts }: RolloutTokens, completion: number): number {
  return starts[completion + 1]! - starts[completion]!;
}
