import { SaccadeError } from '../../errors/saccade-error.js';
import { toProblem } from '../../http/problem.js';
import { QuestionRunner } from '../../reason/question-runner.js';
import { AnswerView } from '../../reason/reason-events.js';
import { Asked, Prepared, Reasoner } from '../../reason/reasoner.js';
import { LiveSession, Settled } from './live-session.js';
import { LiveSessionRepository } from './live-session.repository.js';
import { QuestionEnded, SessionEvent } from './session-events.js';
import { seenOf, settledWithin } from './session-seen.js';
import { judge, Verdict } from './standing-question.js';

export interface SessionQuestion extends Asked {
  /** Chosen by the client. */
  questionId: string;
  deadlineMs: number;
  /** Null for a question that is answered at once. */
  standing: { until: string[]; minConfidence: number; timeoutMs: number } | null;
}

export interface SessionQuestionsOptions {
  maxOpen: number;
  /** Completions sampled each time that a standing question is thought about. */
  waitSamples: number;
}

interface LastThought {
  verdict: Verdict;
  prepared: Prepared;
  timingsMs: Record<string, number>;
}

/** Greedy completions would all agree. */
const WAIT_TEMPERATURE = 0.7;
/** Answers that are told again to a client that asks the same after a broken connection. */
const REMEMBERED_ANSWERS = 32;

/** The open questions of one live session. What becomes of them is told as events of the session. */
export class SessionQuestions {
  private readonly open = new Map<string, { cancelled: AbortController; done: Promise<void> }>();
  private readonly closing = new AbortController();
  private readonly answered = new Map<string, SessionEvent>();

  constructor(
    private readonly session: LiveSession,
    private readonly reasoner: Reasoner,
    private readonly runner: QuestionRunner,
    private readonly repository: LiveSessionRepository,
    private readonly options: SessionQuestionsOptions,
  ) {}

  get openCount(): number {
    return this.open.size;
  }

  /**
   * Takes a question; it is answered by events. Asked again under the same id, an open one goes on, and one that was
   * answered is answered by the same words.
   * @throws SaccadeError when too many are open
   */
  ask(asked: SessionQuestion): void {
    const { questionId } = asked;
    const known = this.answered.get(questionId);
    if (known !== undefined) return this.session.tell(known);
    const accepted = { question_id: questionId, moment_ms: this.session.momentMs };
    if (this.open.has(questionId)) return this.session.tell({ event: 'question.accepted', data: accepted });
    const { maxOpen } = this.options;
    if (this.open.size >= maxOpen)
      throw new SaccadeError(
        'overloaded',
        'too_many_questions',
        `${maxOpen} questions of this session are open (STREAM_MAX_QUESTIONS). Wait for an answer, or cancel one.`,
        { limit: maxOpen },
      );
    const cancelled = new AbortController();
    this.session.tell({ event: 'question.accepted', data: accepted });
    this.open.set(questionId, { cancelled, done: this.work(asked, cancelled.signal) });
  }

  /** @throws SaccadeError when no such question is open */
  cancel(questionId: string): void {
    const open = this.open.get(questionId);
    if (open === undefined)
      throw new SaccadeError('not_found', 'no_such_question', `No question ${questionId} is open.`, {
        field: 'question_id',
      });
    open.cancelled.abort();
  }

  /** Lets standing questions come to their end; resolves when none is open. */
  async finish(): Promise<void> {
    this.closing.abort();
    await Promise.all([...this.open.values()].map(({ done }) => done));
  }

  private async work(asked: SessionQuestion, cancelled: AbortSignal): Promise<void> {
    const { questionId } = asked;
    try {
      const ended =
        asked.standing === null
          ? await this.answerNow(asked, cancelled)
          : await this.stand(asked, asked.standing, cancelled);
      if (ended !== null) this.tellEnd(questionId, ended);
    } catch (error) {
      if (cancelled.aborted) this.tellEnd(questionId, 'cancelled');
      else this.session.tell({ event: 'error', data: { ...toProblem(error), question_id: questionId } });
    } finally {
      this.open.delete(questionId);
    }
  }

  private async answerNow(asked: SessionQuestion, cancelled: AbortSignal): Promise<null> {
    const { questionId, deadlineMs } = asked;
    // Taken before the question waits for its turn, so that nothing later counts.
    const started = performance.now();
    const settling = settledWithin(this.session, deadlineMs, cancelled);
    const answer = await this.runner.run(cancelled, async (signal) => {
      const settled = await settling;
      signal.throwIfAborted();
      const waited = Math.round(performance.now() - started);
      const seen = seenOf(this.session.id, settled, this.repository, { wait: waited });
      return this.reasoner.answer(seen, asked, signal, (delta) =>
        this.session.tell({ event: 'answer.delta', data: { question_id: questionId, ...delta } }),
      );
    });
    this.tellAnswer(questionId, answer, null);
    return null;
  }

  /** Thinks about the question with each new percept until it can be answered. */
  private async stand(
    asked: SessionQuestion,
    standing: NonNullable<SessionQuestion['standing']>,
    cancelled: AbortSignal,
  ): Promise<QuestionEnded['reason'] | null> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), standing.timeoutMs);
    try {
      const left = AbortSignal.any([cancelled, over.signal, this.closing.signal, this.session.ended]);
      const last = await this.thinkUntil(left, asked, standing, cancelled);
      cancelled.throwIfAborted();
      const { candidate, decision, confidence } = last?.verdict ?? { candidate: null };
      if (candidate === null || (decision !== 'answer' && standing.until.length > 0))
        return over.signal.aborted ? 'expired' : 'session_closed';
      const answer = await this.reasoner.keep(last!.prepared, candidate, confidence!, last!.timingsMs);
      this.tellAnswer(asked.questionId, answer, confidence!);
      return null;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The thought that can be answered, or the last one before the question's time was over. */
  private async thinkUntil(
    left: AbortSignal,
    asked: SessionQuestion,
    { until, minConfidence }: NonNullable<SessionQuestion['standing']>,
    cancelled: AbortSignal,
  ): Promise<LastThought | null> {
    const hasLeft = aborted(left);
    let last: LastThought | null = null;
    let settled = await settledWithin(this.session, asked.deadlineMs, left);
    do {
      const progress = this.session.progress();
      const thought =
        settled.memory.first === null
          ? null
          : await this.think(asked, settled, cancelled, until, minConfidence);
      if (thought !== null) {
        last = thought;
        const { decision, answer, confidence } = thought.verdict;
        if (decision === 'answer') break;
        this.session.tell({
          event: 'answer.wait',
          data: {
            question_id: asked.questionId,
            decision,
            candidate: answer,
            confidence,
            seen_until_ms: settled.seenUntilMs,
          },
        });
      }
      await Promise.race([progress, hasLeft]);
      settled = this.session.known();
    } while (!left.aborted);
    return last;
  }

  /** Null when the server has no room for it now: the next percept is another chance. */
  private async think(
    asked: SessionQuestion,
    settled: Settled,
    cancelled: AbortSignal,
    until: readonly string[],
    minConfidence: number,
  ): Promise<LastThought | null> {
    const started = performance.now();
    const seen = seenOf(this.session.id, settled, this.repository, {});
    const temperature = asked.temperature > 0 ? asked.temperature : WAIT_TEMPERATURE;
    try {
      return await this.runner.run(cancelled, async (signal) => {
        const prepared = await this.reasoner.prepare(seen, asked, signal);
        const candidates = await this.reasoner.sample(
          prepared,
          this.options.waitSamples,
          temperature,
          signal,
        );
        const verdict = judge(candidates, asked.question, until, minConfidence);
        return { verdict, prepared, timingsMs: { reason: Math.round(performance.now() - started) } };
      });
    } catch (error) {
      if (error instanceof SaccadeError && error.fault === 'overloaded') return null;
      throw error;
    }
  }

  private tellAnswer(questionId: string, answer: AnswerView, confidence: number | null): void {
    const event: SessionEvent = { event: 'answer', data: { question_id: questionId, confidence, ...answer } };
    this.answered.set(questionId, event);
    if (this.answered.size > REMEMBERED_ANSWERS) this.answered.delete(this.answered.keys().next().value!);
    this.session.tell(event);
  }

  private tellEnd(questionId: string, reason: QuestionEnded['reason']): void {
    this.session.tell({ event: 'question.ended', data: { question_id: questionId, reason } });
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
