import { createHash } from 'node:crypto';
import { KeyframeImage, Perceiver, Perception, PerceptionInput, PerceptionUsage } from './perceiver.js';
import { Percept } from './percept.js';
import { SharedWork } from './shared-work.js';

/** A percept as it is kept. */
export interface StoredPercept {
  id: string;
  percept: Percept;
}

/** Port: keeps percepts by key, so that each pair is perceived once, whoever asks. */
export interface PerceptCache {
  find(key: string): Promise<StoredPercept | null>;
  /** Keeps the percept and returns what is kept under the key, which is another's when that was faster. */
  keep(
    key: string,
    perceiver: { name: string; version: string },
    percept: Percept,
    usage: PerceptionUsage,
  ): Promise<StoredPercept>;
}

export interface CachedPerception {
  perceptId: string;
  percept: Percept;
  usage: PerceptionUsage;
  /** Made earlier, for another question. */
  cached: boolean;
}

const NO_USAGE: PerceptionUsage = { promptTokens: 0, completionTokens: 0, calls: 0 };

type Keyframe = Pick<KeyframeImage, 'jpeg' | 'contentHash'>;

/** Perceives keyframe pairs through the cache. Equal pairs that are asked for at the same time are perceived once. */
export class PerceptionPipeline {
  private readonly inFlight = new SharedWork<CachedPerception>();

  constructor(
    private readonly perceiver: Perceiver,
    private readonly cache: PerceptCache,
  ) {}

  perceive(input: PerceptionInput): Promise<CachedPerception> {
    const key = perceptKey(this.perceiver, input);
    return this.shared(key, input.signal, (signal) => this.perceiver.perceive({ ...input, signal }));
  }

  /**
   * What a keyframe shows of the things that a question names, kept under the picture and the question. Null where the
   * perceiver has no such pass.
   */
  async perceiveForQuestion(
    keyframe: Keyframe,
    question: string,
    options: readonly string[],
    signal: AbortSignal,
  ): Promise<CachedPerception | null> {
    const { perceiver } = this;
    if (perceiver.perceiveForQuestion === undefined) return null;
    const key = hashOf([
      perceiver.name,
      perceiver.version,
      keyframe.contentHash,
      'question',
      question,
      options,
    ]);
    return this.shared(key, signal, async (shared) => {
      const { text, usage } = await perceiver.perceiveForQuestion!(keyframe, question, options, shared);
      return { percept: { text, actions: [], objects: [], gone: [], contradiction: null }, usage };
    });
  }

  /** What it cost is told to the caller that began it; the row keeps it as well. */
  private async shared(
    key: string,
    caller: AbortSignal,
    perceive: (signal: AbortSignal) => Promise<Perception>,
  ): Promise<CachedPerception> {
    const { result, began } = await this.inFlight.join(key, caller, (signal) =>
      this.perceiveOnce(key, signal, perceive),
    );
    return began ? result : { ...result, usage: NO_USAGE, cached: true };
  }

  private async perceiveOnce(
    key: string,
    signal: AbortSignal,
    perceive: (signal: AbortSignal) => Promise<Perception>,
  ): Promise<CachedPerception> {
    const kept = await this.cache.find(key);
    if (kept !== null) return { perceptId: kept.id, percept: kept.percept, usage: NO_USAGE, cached: true };
    const { percept, usage } = await perceive(signal);
    const { id, percept: stored } = await this.cache.keep(key, this.perceiver, percept, usage);
    return { perceptId: id, percept: stored, usage, cached: false };
  }
}

function hashOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/**
 * Key of a pair: what was seen, how it was moved between, and who perceives. What the previous percept said is part of
 * it, because new and gone objects are told against it.
 */
export function perceptKey(
  { name, version }: Pick<Perceiver, 'name' | 'version'>,
  { keyframe, previous, steps }: PerceptionInput,
): string {
  const hash = createHash('sha256').update(JSON.stringify([name, version, keyframe.contentHash]));
  if (previous !== null) hash.update(JSON.stringify([previous.image.contentHash, previous.percept]));
  for (const step of steps) {
    hash.update(Float64Array.of(step.fromTimestampMs, step.toTimestampMs));
    hash.update(step.points).update(step.inliers);
  }
  return hash.digest('hex');
}
