import { createHash } from 'node:crypto';
import { MotionStep } from '../keyframes/keyframe-selector.js';
import { actionsOf } from './ego-motion/actions.js';
import { KeyframeImage, Perceiver, Perception, PerceptionUsage, Picture } from './perceiver.js';
import { Percept } from './percept.js';
import { SharedWork } from './shared-work.js';
import { wordObservation } from './wording.js';

/** A percept as it is kept. */
export interface StoredPercept {
  id: string;
  percept: Percept;
}

export interface NewPercept {
  /** Of the keyframe's picture. */
  contentHash: string;
  perceiver: string;
  version: string;
  percept: Percept;
  usage: PerceptionUsage;
}

/** Port: keeps percepts by key, so that each pair is perceived once, whoever asks. */
export interface PerceptCache {
  find(key: string): Promise<StoredPercept | null>;
  /** Keeps the percept and returns what is kept under the key, which is another's when that was faster. */
  keep(key: string, made: NewPercept): Promise<StoredPercept>;
}

export interface CachedPerception {
  perceptId: string;
  percept: Percept;
  usage: PerceptionUsage;
  /** Made earlier, for another question. */
  cached: boolean;
}

/** A pair that is being perceived, for the next pair to go on from. It holds no pixels, because it stays for long. */
export interface PerceivingPair {
  picture: Picture;
  key: string;
  done: Promise<CachedPerception>;
}

export interface PairInput {
  keyframe: KeyframeImage;
  /** Null for the first keyframe. */
  previous: PerceivingPair | null;
  /** Every step between the previous keyframe and this one, in order. */
  steps: readonly MotionStep[];
  signal: AbortSignal;
}

const NO_USAGE: PerceptionUsage = { promptTokens: 0, completionTokens: 0, calls: 0 };

/** Perceives keyframe pairs through the cache. Equal pairs that are asked for at the same time are perceived once. */
export class PerceptionPipeline {
  private readonly inFlight = new SharedWork<CachedPerception>();

  constructor(
    private readonly perceiver: Perceiver,
    private readonly cache: PerceptCache,
  ) {}

  /** Begins to perceive a pair. Pairs may overlap: a perceiver that needs the percept before waits for it itself. */
  perceive({ keyframe, previous, steps, signal }: PairInput): PerceivingPair {
    const key = this.pairKey(keyframe, previous, steps);
    const before =
      previous === null
        ? null
        : { picture: previous.picture, percept: previous.done.then(({ percept }) => percept) };
    before?.percept.catch(() => undefined); // whoever needs it hears of it
    const done = this.shared(key, keyframe, signal, (shared) =>
      this.perceiver.perceive({ keyframe, previous: before, steps, signal: shared }),
    );
    done.catch(() => undefined); // it may fail before anybody waits for it
    return { picture: pictureOf(keyframe), key, done };
  }

  /**
   * A percept of nothing but the measured movement, for a pair that could not be perceived: without it the headings of
   * all later ones would be wrong.
   */
  measuredOnly({ keyframe, previous, steps }: Omit<PairInput, 'signal'>): PerceivingPair {
    const key = hashOf([this.pairKey(keyframe, previous, steps), 'measured']);
    const actions = previous === null ? [] : actionsOf(steps);
    const percept = { actions, objects: [], gone: [], text: wordObservation([], []), contradiction: null };
    const made = { contentHash: keyframe.contentHash, perceiver: 'measured', version: '1', percept };
    const done = this.cache
      .keep(key, { ...made, usage: NO_USAGE })
      .then(({ id }) => ({ perceptId: id, percept, usage: NO_USAGE, cached: false }));
    done.catch(() => undefined);
    return { picture: pictureOf(keyframe), key, done };
  }

  /** Whether the perceiver can look again for what a question names. */
  get looksForQuestions(): boolean {
    return this.perceiver.perceiveForQuestion !== undefined;
  }

  /**
   * What a keyframe shows of the things that a question names, kept under the picture and the question. Null where the
   * perceiver has no such pass.
   */
  async perceiveForQuestion(
    picture: Picture,
    question: string,
    options: readonly string[],
    signal: AbortSignal,
  ): Promise<CachedPerception | null> {
    const { perceiver } = this;
    if (perceiver.perceiveForQuestion === undefined) return null;
    const { name, version } = perceiver;
    const key = hashOf([name, version, picture.contentHash, 'question', question, options]);
    return this.shared(key, picture, signal, async (shared) => {
      const { text, usage } = await perceiver.perceiveForQuestion!(picture, question, options, shared);
      return { percept: { text, actions: [], objects: [], gone: [], contradiction: null }, usage };
    });
  }

  /**
   * Key of a pair: what was seen, how it was moved between, who perceives, and the key of the pair before, because new
   * and gone objects are told against it.
   */
  private pairKey(
    keyframe: KeyframeImage,
    previous: PerceivingPair | null,
    steps: readonly MotionStep[],
  ): string {
    const { name, version } = this.perceiver;
    const hash = createHash('sha256').update(JSON.stringify([name, version, keyframe.contentHash]));
    if (previous !== null) hash.update(JSON.stringify([previous.picture.contentHash, previous.key]));
    return hash.update(JSON.stringify(steps)).digest('hex');
  }

  /** What it cost is told to the caller that began it; the row keeps it as well. */
  private async shared(
    key: string,
    picture: Picture,
    caller: AbortSignal,
    perceive: (signal: AbortSignal) => Promise<Perception>,
  ): Promise<CachedPerception> {
    const { result, began } = await this.inFlight.join(key, caller, (signal) =>
      this.perceiveOnce(key, picture, signal, perceive),
    );
    return began ? result : { ...result, usage: NO_USAGE, cached: true };
  }

  private async perceiveOnce(
    key: string,
    { contentHash }: Picture,
    signal: AbortSignal,
    perceive: (signal: AbortSignal) => Promise<Perception>,
  ): Promise<CachedPerception> {
    const kept = await this.cache.find(key);
    if (kept !== null) return { perceptId: kept.id, percept: kept.percept, usage: NO_USAGE, cached: true };
    const { percept, usage } = await perceive(signal);
    const { name: perceiver, version } = this.perceiver;
    const { id, percept: stored } = await this.cache.keep(key, {
      contentHash,
      perceiver,
      version,
      percept,
      usage,
    });
    return { perceptId: id, percept: stored, usage, cached: false };
  }
}

function pictureOf({ jpeg, contentHash }: KeyframeImage): Picture {
  return { jpeg, contentHash };
}

function hashOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
