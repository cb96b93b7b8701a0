import { Weights } from '../../lm/onnx/models/weights.js';
import { TokenGroup } from '../../lm/onnx/training/pack-groups.js';

/** Of every token of the completions, in order. */
export interface ScoredTokens {
  logprobs: Float32Array;
  entropies: Float32Array;
}

export interface UpdateResult {
  /** Before clipping. */
  gradientNorm: number;
  /** Nothing was changed, since the gradient was not finite. */
  skipped: boolean;
}

/** Everything that a later process needs to go on exactly here. */
export interface LearnerState {
  trained: Weights;
  reference: Weights;
  /** AdamW's moments, by weight name. */
  first: Weights;
  second: Weights;
  updates: number;
}

/** Port: the model that is being trained. */
export interface Learner {
  /** The weights that training changes, as they are now. */
  readonly trained: Weights;
  /** @param policy the one being trained, or the frozen reference */
  score(policy: 'current' | 'reference', groups: readonly TokenGroup[]): Promise<ScoredTokens>;
  /** One step against the gradient of the loss with respect to the log-probability of every token. */
  update(
    groups: readonly TokenGroup[],
    tokenGradient: Float32Array,
    learningRate: number,
  ): Promise<UpdateResult>;
  state(): LearnerState;
  close(): Promise<void>;
}
