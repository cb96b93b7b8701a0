import { SaccadeError } from '../errors/saccade-error.js';
import { withDeadline } from './deadline.js';

/**
 * Lets so many questions be worked on at a time and turns the others away at once, so that nothing queues without
 * bound; each within the time that a question may take.
 */
export class QuestionRunner {
  private running = 0;

  constructor(private readonly options: { maxConcurrent: number; timeoutMs: number }) {}

  /** @throws SaccadeError overloaded, deadline, cancelled, or what the work throws */
  async run<T>(caller: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { maxConcurrent, timeoutMs } = this.options;
    if (this.running >= maxConcurrent) {
      throw new SaccadeError(
        'overloaded',
        'too_many_questions',
        `${maxConcurrent} questions are being answered already (MAX_CONCURRENT_QUESTIONS). Try again in a moment.`,
        { limit: maxConcurrent },
      );
    }
    this.running++;
    try {
      return await withDeadline(caller, timeoutMs, work);
    } finally {
      this.running--;
    }
  }
}
