import { DecoderConfig } from '../models/decoder-config.js';
import { Weights } from '../models/weights.js';
import { AdamWMoments, adamWStep, clipScale, globalNorm } from './adamw.js';
import { learningRateAt, LearningRateSchedule } from './learning-rate.js';
import { TokenBatch, TrainingSession } from './training-session.js';

export interface SupervisedBatch {
  /** Row-major [B, T], padded on the right. */
  inputIds: Int32Array;
  /** [B, T], the token that should follow each position. */
  targetIds: Int32Array;
  /** [B, T]; 0 where nothing is to be learned, such as on padding. */
  lossWeights: Float32Array;
  batch: number;
  length: number;
}

export interface SupervisedOptions {
  schedule: LearningRateSchedule;
  beta1: number;
  beta2: number;
  epsilon: number;
  /** Applied to matrices only, not to norms and biases. */
  weightDecay: number;
  /** Largest global norm of the gradient. */
  gradientClip: number;
  threads: number;
}

export interface StepResult {
  /** Weighted mean cross-entropy, in nats. */
  loss: number;
  gradientNorm: number;
  learningRate: number;
  /** Positions that were learned from. */
  tokens: number;
  /** Nothing was changed: no position had a weight, or the loss or its gradient was not finite. */
  skipped: boolean;
}

/** Supervised training of all weights with AdamW. The given weights are changed in place. */
export class SupervisedTrainer {
  private readonly moments = new Map<string, AdamWMoments>();
  private stepsDone = 0;
  /** Made when an evaluation first asks for it. */
  private scorer: TrainingSession | null = null;
  skippedSteps = 0;

  private constructor(
    private readonly config: DecoderConfig,
    private readonly session: TrainingSession,
    readonly weights: Weights,
    private readonly options: SupervisedOptions,
  ) {
    for (const [name, { data }] of weights) {
      this.moments.set(name, { first: new Float32Array(data.length), second: new Float32Array(data.length) });
    }
  }

  static async create(
    config: DecoderConfig,
    weights: Weights,
    options: SupervisedOptions,
  ): Promise<SupervisedTrainer> {
    return new SupervisedTrainer(
      config,
      await TrainingSession.create(config, { threads: options.threads, withGradients: true, lora: null }),
      weights,
      options,
    );
  }

  async step(batch: SupervisedBatch): Promise<StepResult> {
    const { tokens, weightOf, totalWeight } = lossRows(batch);
    const learningRate = learningRateAt(this.stepsDone + 1, this.options.schedule);
    if (totalWeight === 0) {
      this.skippedSteps++;
      return { loss: 0, gradientNorm: 0, learningRate, tokens: 0, skipped: true };
    }
    const tokenGradient = weightOf.map((weight) => -weight / totalWeight);
    const { logprobs, gradients } = await this.session.run(this.weights, tokens, tokenGradient);
    const loss = logprobs.reduce((sum, logprob, i) => sum + logprob * tokenGradient[i]!, 0);
    const gradientNorm = globalNorm(gradients.values());
    const result = { loss, gradientNorm, learningRate, tokens: tokens.rows.length };
    if (!Number.isFinite(loss) || !Number.isFinite(gradientNorm)) {
      this.skippedSteps++;
      return { ...result, skipped: true };
    }
    this.update(gradients, learningRate, clipScale(gradientNorm, this.options.gradientClip));
    return { ...result, skipped: false };
  }

  /** Loss of a batch; nothing is learned from it. */
  async evaluate(batch: SupervisedBatch): Promise<{ loss: number; tokens: number }> {
    const { tokens, weightOf, totalWeight } = lossRows(batch);
    if (totalWeight === 0) return { loss: 0, tokens: 0 };
    this.scorer ??= await TrainingSession.create(this.config, {
      threads: this.options.threads,
      withGradients: false,
      lora: null,
    });
    const { logprobs } = await this.scorer.score(this.weights, tokens);
    const loss = -logprobs.reduce((sum, logprob, i) => sum + logprob * weightOf[i]!, 0) / totalWeight;
    return { loss, tokens: tokens.rows.length };
  }

  async close(): Promise<void> {
    await this.session.close();
    await this.scorer?.close();
  }

  private update(gradients: Map<string, Float32Array>, learningRate: number, gradientScale: number): void {
    this.stepsDone++;
    for (const [name, { dims, data }] of this.weights) {
      const weightDecay = dims.length === 2 ? this.options.weightDecay : 0;
      adamWStep(
        data,
        gradients.get(name)!,
        this.moments.get(name)!,
        this.stepsDone,
        { ...this.options, learningRate, weightDecay },
        gradientScale,
      );
    }
  }
}

/** The positions with a weight, as the training graph wants them. */
function lossRows({ inputIds, targetIds, lossWeights, batch, length }: SupervisedBatch): {
  tokens: TokenBatch;
  weightOf: Float32Array;
  totalWeight: number;
} {
  const rows = Int32Array.from([...lossWeights.keys()].filter((i) => lossWeights[i] !== 0));
  const weightOf = Float32Array.from(rows, (row) => lossWeights[row]!);
  const targets = Int32Array.from(rows, (row) => targetIds[row]!);
  const totalWeight = weightOf.reduce((a, b) => a + b, 0);
  return { tokens: { inputIds, batch, length, rows, targets }, weightOf, totalWeight };
}
