import { SaccadeClientError } from './client-error.js';
import { Answer, AnswerDelta, AnswerWait, Question } from './events.js';

export type AnswerProgress =
  { event: 'answer.delta'; data: AnswerDelta } | { event: 'answer.wait'; data: AnswerWait };

/** A question on its way. Await `answer`; iterate over it to watch the model think. */
export class AskedQuestion implements AsyncIterable<AnswerProgress> {
  /** Rejects with a SaccadeClientError: the server's error, `cancelled`, `expired`, `session_closed` or `connection_lost`. */
  readonly answer: Promise<Answer>;
  private resolve!: (answer: Answer) => void;
  private reject!: (error: SaccadeClientError) => void;
  private readonly progress: AnswerProgress[] = [];
  private readers: (() => void)[] = [];
  private isOver = false;

  constructor(
    readonly id: string,
    readonly question: Question,
    /** @internal The last frame before it. */
    readonly afterSequence: number,
    private readonly sendCancel: () => void,
  ) {
    this.answer = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
    this.answer.catch(() => undefined); // whoever awaits it hears of it
  }

  cancel(): void {
    if (!this.isOver) this.sendCancel();
  }

  /**
   * What has come so far and what comes, until the answer; then it ends. After a restart of the server the thinking may
   * come again from its beginning.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<AnswerProgress, void, void> {
    for (let at = 0; ;) {
      while (at < this.progress.length) yield this.progress[at++]!;
      if (this.isOver) return;
      await new Promise<void>((resolve) => this.readers.push(resolve));
    }
  }

  /** @internal */
  tell(progress: AnswerProgress): void {
    this.progress.push(progress);
    this.wake();
  }

  /** @internal */
  settle(result: Answer | SaccadeClientError): void {
    this.isOver = true;
    if (result instanceof SaccadeClientError) this.reject(result);
    else this.resolve(result);
    this.wake();
  }

  private wake(): void {
    this.readers.splice(0).forEach((resolve) => resolve());
  }
}
