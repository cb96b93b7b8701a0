import { SaccadeError } from '../errors/saccade-error.js';

/** Lets so many questions in at a time and turns the others away at once, so that nothing queues without bound. */
export class Admission {
  private running = 0;

  constructor(private readonly limit: number) {}

  /** @throws SaccadeError overloaded */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= this.limit) {
      throw new SaccadeError(
        'overloaded',
        'too_many_questions',
        `${this.limit} questions are being answered already (MAX_CONCURRENT_QUESTIONS). Try again in a moment.`,
        { limit: this.limit },
      );
    }
    this.running++;
    try {
      return await work();
    } finally {
      this.running--;
    }
  }
}
