import { Completion, FinishReason, SamplingParams } from '../../language-model.js';
import { IncrementalDetokenizer } from '../tokenizer/incremental-detokenizer.js';
import { createRandom, Random } from './random.js';
import { SampledToken } from './sampler.js';
import { StopScanner } from './stop-scanner.js';

export interface SequenceOptions {
  index: number;
  sampling: SamplingParams & { seed: number };
  endTokenIds: ReadonlySet<number>;
  /** Tokens that the context has left after the prompt. */
  maxLength: number;
  detokenizer: IncrementalDetokenizer;
  onText: (text: string) => void;
}

/**
 * One completion while it grows. Tokens and text end together: the last token is the one that ended the completion
 * (an end token, or the token that completed a stop text), and the text is what came before the end.
 */
export class Sequence {
  readonly random: Random;
  private readonly tokenIds: number[] = [];
  private readonly logprobs: number[] = [];
  private readonly stops: StopScanner;
  private text = '';
  private finishReason: FinishReason | null = null;

  constructor(private readonly options: SequenceOptions) {
    this.random = createRandom(options.sampling.seed, options.index);
    this.stops = new StopScanner(options.sampling.stop);
  }

  get index(): number {
    return this.options.index;
  }

  get sampling(): SamplingParams {
    return this.options.sampling;
  }

  get lastTokenId(): number {
    return this.tokenIds[this.tokenIds.length - 1];
  }

  get isFinished(): boolean {
    return this.finishReason !== null;
  }

  accept({ tokenId, logprob }: SampledToken): void {
    const { endTokenIds, detokenizer, maxLength, sampling } = this.options;
    this.tokenIds.push(tokenId);
    this.logprobs.push(logprob);
    if (endTokenIds.has(tokenId)) return this.finish('stop');
    if (this.pass(detokenizer.push(tokenId))) return;
    if (this.tokenIds.length >= Math.min(sampling.maxTokens, maxLength)) this.finish('length');
  }

  toCompletion(): Completion {
    if (this.finishReason === null) throw new Error('The sequence is not finished.');
    return {
      text: this.text,
      tokenIds: this.tokenIds,
      logprobs: this.logprobs,
      finishReason: this.finishReason,
    };
  }

  private finish(reason: FinishReason): void {
    // The last bytes may turn into a character that completes a stop text.
    if (this.pass(this.options.detokenizer.flush())) return;
    this.emit(this.stops.flush());
    this.finishReason = reason;
  }

  /** Takes new text in; true when a stop text was reached. */
  private pass(piece: string): boolean {
    if (piece.length === 0) return false;
    const { text, stopped } = this.stops.push(piece);
    this.emit(text);
    if (stopped) this.finishReason = 'stop';
    return stopped;
  }

  private emit(text: string): void {
    if (text.length === 0) return;
    this.text += text;
    this.options.onText(text);
  }
}
