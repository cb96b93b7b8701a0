import { DecoderConfig } from '../../lm/onnx/models/decoder-config.js';
import { LoraShape } from '../../lm/onnx/models/lora.js';
import { Weights } from '../../lm/onnx/models/weights.js';
import { AdamWMoments, adamWStep, clipScale, globalNorm } from '../../lm/onnx/training/adamw.js';
import { packGroups, TokenGroup } from '../../lm/onnx/training/pack-groups.js';
import { TrainingSession } from '../../lm/onnx/training/training-session.js';
import { Learner, LearnerState, ScoredTokens, UpdateResult } from './learner.js';

export interface OnnxLearnerOptions {
  config: DecoderConfig;
  /** Of the base model; not changed when there is an adapter, and in place when there is none. */
  weights: Weights;
  lora: LoraShape | null;
  /** Where training begins, or goes on. */
  state: LearnerState;
  adam: { beta1: number; beta2: number; epsilon: number; weightDecay: number };
  /** Largest global norm of the gradient. */
  gradientClip: number;
  threads: number;
  /** Tokens in one run of the graph, padding included; bounds the memory. */
  maxRunTokens: number;
}

/** The state in which a run begins: these weights, which are the reference too, and no momentum. */
export function freshState(trained: Weights): LearnerState {
  const copy = (fill: (data: Float32Array) => Float32Array): Weights =>
    new Map([...trained].map(([name, { dims, data }]) => [name, { dims, data: fill(data) }]));
  const zeros = (data: Float32Array) => new Float32Array(data.length);
  return {
    trained: copy((data) => data.slice()),
    reference: copy((data) => data.slice()),
    first: copy(zeros),
    second: copy(zeros),
    updates: 0,
  };
}

/** Trains on this machine with gradients as ONNX graphs, all weights or an adapter. */
export class OnnxLearner implements Learner {
  private constructor(
    private readonly options: OnnxLearnerOptions,
    private readonly training: TrainingSession,
    private readonly scoring: TrainingSession,
    private updates: number,
  ) {}

  static async create(options: OnnxLearnerOptions): Promise<OnnxLearner> {
    const { config, lora, threads, state } = options;
    const training = await TrainingSession.create(config, { threads, lora, withGradients: true });
    const scoring = await TrainingSession.create(config, { threads, lora, withGradients: false });
    return new OnnxLearner(options, training, scoring, state.updates);
  }

  get trained(): Weights {
    return this.options.state.trained;
  }

  async score(policy: 'current' | 'reference', groups: readonly TokenGroup[]): Promise<ScoredTokens> {
    const { state } = this.options;
    const weights = this.all(policy === 'current' ? state.trained : state.reference);
    const total = tokenCount(groups);
    const scored = { logprobs: new Float32Array(total), entropies: new Float32Array(total) };
    for (const { groups: part, from } of this.parts(groups)) {
      const { logprobs, entropies } = await this.scoring.score(weights, packGroups(part));
      scored.logprobs.set(logprobs, from);
      scored.entropies.set(entropies, from);
    }
    return scored;
  }

  async update(
    groups: readonly TokenGroup[],
    tokenGradient: Float32Array,
    learningRate: number,
  ): Promise<UpdateResult> {
    const gradients = new Map<string, Float32Array>();
    const weights = this.all(this.trained);
    for (const { groups: part, from, to } of this.parts(groups)) {
      const result = await this.training.run(weights, packGroups(part), tokenGradient.subarray(from, to));
      for (const [name, gradient] of result.gradients) addTo(gradients, name, gradient);
    }
    const gradientNorm = globalNorm(gradients.values());
    if (!Number.isFinite(gradientNorm)) return { gradientNorm, skipped: true };
    this.apply(gradients, learningRate, clipScale(gradientNorm, this.options.gradientClip));
    return { gradientNorm, skipped: false };
  }

  state(): LearnerState {
    return { ...this.options.state, updates: this.updates };
  }

  async close(): Promise<void> {
    await this.training.close();
    await this.scoring.close();
  }

  private all(trained: Weights): Weights {
    return this.options.lora === null ? trained : new Map([...this.options.weights, ...trained]);
  }

  private apply(gradients: Map<string, Float32Array>, learningRate: number, gradientScale: number): void {
    const { adam, state } = this.options;
    this.updates++;
    for (const [name, { dims, data }] of state.trained) {
      const moments: AdamWMoments = {
        first: state.first.get(name)!.data,
        second: state.second.get(name)!.data,
      };
      const weightDecay = dims.length === 2 ? adam.weightDecay : 0;
      adamWStep(
        data,
        gradients.get(name)!,
        moments,
        this.updates,
        { ...adam, learningRate, weightDecay },
        gradientScale,
      );
    }
  }

  /** Groups that fit one run together, with the places of their tokens. */
  private *parts(
    groups: readonly TokenGroup[],
  ): Generator<{ groups: TokenGroup[]; from: number; to: number }> {
    let part: TokenGroup[] = [];
    let longest = 0;
    let from = 0;
    for (const group of groups) {
      const length = group.prompt.length + tokenCount([group]);
      const longer = Math.max(longest, length);
      if (part.length > 0 && longer * (part.length + 1) > this.options.maxRunTokens) {
        const to = from + tokenCount(part);
        yield { groups: part, from, to };
        [part, longest, from] = [[], 0, to];
      }
      part.push(group);
      longest = Math.max(longest, length);
    }
    if (part.length > 0) yield { groups: part, from, to: from + tokenCount(part) };
  }
}

export function tokenCount(groups: readonly TokenGroup[]): number {
  return groups.reduce(
    (sum, { completions }) => sum + completions.reduce((tokens, { length }) => tokens + length, 0),
    0,
  );
}

function addTo(sums: Map<string, Float32Array>, name: string, values: Float32Array): void {
  const sum = sums.get(name);
  if (sum === undefined) sums.set(name, values);
  else for (let i = 0; i < sum.length; i++) sum[i]! += values[i]!;
}
