import { createHash } from 'node:crypto';
import { PerceptionInput, PerceptionUsage, Perceiver } from './perceiver.js';
import { Percept } from './percept.js';

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

/** Perceives keyframe pairs through the cache. Equal pairs that are asked for at the same time are perceived once. */
export class PerceptionPipeline {
  private readonly inFlight = new Map<string, Promise<CachedPerception>>();

  constructor(
    private readonly perceiver: Perceiver,
    private readonly cache: PerceptCache,
  ) {}

  async perceive(input: PerceptionInput): Promise<CachedPerception> {
    const key = perceptKey(this.perceiver, input);
    const running = this.inFlight.get(key);
    if (running !== undefined) {
      // The other caller may go away and take the work with it; then it is ours to do.
      const shared = await running.catch(() => null);
      if (shared !== null) return { ...shared, usage: NO_USAGE, cached: true };
      return this.perceive(input);
    }
    const work = this.perceiveOnce(key, input).finally(() => this.inFlight.delete(key));
    this.inFlight.set(key, work);
    return work;
  }

  private async perceiveOnce(key: string, input: PerceptionInput): Promise<CachedPerception> {
    input.signal.throwIfAborted();
    const kept = await this.cache.find(key);
    if (kept !== null) return { perceptId: kept.id, percept: kept.percept, usage: NO_USAGE, cached: true };
    const { percept, usage } = await this.perceiver.perceive(input);
    const { id, percept: stored } = await this.cache.keep(key, this.perceiver, percept, usage);
    return { perceptId: id, percept: stored, usage, cached: false };
  }
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
