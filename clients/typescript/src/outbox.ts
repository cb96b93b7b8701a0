import { AskedQuestion } from './asked-question.js';
import { SaccadeClientError } from './client-error.js';
import { Ack, SessionReady, Throttle } from './events.js';
import { FrameHeader } from './frame-message.js';
import { BufferedFrame, ReplayBuffer } from './replay-buffer.js';

/** What became of a frame. */
export type FrameOutcome =
  | { sequence: number; status: 'kept' | 'skipped'; ack: Ack }
  | { sequence: number; status: 'dropped'; reason: Throttle['reason'] }
  | { sequence: number; status: 'refused'; error: SaccadeClientError }
  /** The server has it, but its reply was lost with a connection. */
  | { sequence: number; status: 'unknown' };

export interface SentFrame {
  sequence: number;
  /** Never rejects for one frame's sake; rejects when the connection is gone for good. */
  outcome: Promise<FrameOutcome>;
}

/** How what is due leaves. */
export interface Sender {
  frame(header: FrameHeader, picture: Uint8Array): void;
  question(asked: AskedQuestion): void;
  close(): void;
}

interface OpenFrame {
  resolve: (outcome: FrameOutcome) => void;
  reject: (error: SaccadeClientError) => void;
}

/**
 * What is to be sent, in its order: frames as far as there is credit, each question after the frames before it, the end
 * after everything. After a broken connection it begins again where the server stands.
 */
export class Outbox {
  private frames: BufferedFrame[] = [];
  private questions: AskedQuestion[] = [];
  /** Frames that were not answered yet, by sequence. */
  private readonly open = new Map<number, OpenFrame>();
  /** Sent on the present connection and not answered. */
  private readonly unanswered = new Set<number>();
  private readonly buffer: ReplayBuffer;
  private waiting: (() => void)[] = [];
  private nextSequence = 0;
  private credits = 0;
  private wantsClose = false;
  private isCloseSent = false;

  constructor(
    replayBufferBytes: number,
    private readonly sender: Sender,
  ) {
    this.buffer = new ReplayBuffer(replayBufferBytes);
  }

  /** Sequence of the newest frame; −1 before the first. */
  get lastSequence(): number {
    return this.nextSequence - 1;
  }

  get hasCredit(): boolean {
    return this.frames.length === 0 && this.unanswered.size < this.credits;
  }

  /** Resolves when there may be credit. */
  change(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  addFrame(timestampUs: number, key: boolean | undefined, picture: Uint8Array): SentFrame {
    const sequence = this.nextSequence++;
    const frame = { sequence, timestampUs, key, picture };
    const outcome = new Promise<FrameOutcome>((resolve, reject) =>
      this.open.set(sequence, { resolve, reject }),
    );
    outcome.catch(() => undefined); // whoever awaits it hears of it
    this.buffer.add(frame);
    this.frames.push(frame);
    this.pump();
    return { sequence, outcome };
  }

  addQuestion(asked: AskedQuestion): void {
    this.questions.push(asked);
    this.pump();
  }

  addClose(): void {
    this.wantsClose = true;
    this.pump();
  }

  /** A connection is ready: what the server lacks is sent again, and open questions are asked again. */
  begin({ next_sequence: next, credits }: SessionReady, questions: readonly AskedQuestion[]): void {
    this.credits = credits;
    this.isCloseSent = false;
    this.nextSequence = Math.max(this.nextSequence, next);
    this.unanswered.clear();
    this.frames = this.buffer.from(next);
    this.questions = [...questions];
    const again = new Set(this.frames.map(({ sequence }) => sequence));
    for (const sequence of [...this.open.keys()])
      if (!again.has(sequence)) this.settle({ sequence, status: 'unknown' });
    this.pump();
  }

  /** Nothing can be sent until it begins again. */
  pause(): void {
    this.credits = 0;
  }

  settle(outcome: FrameOutcome): void {
    this.open.get(outcome.sequence)?.resolve(outcome);
    this.open.delete(outcome.sequence);
    if (this.unanswered.delete(outcome.sequence)) this.pump();
  }

  /** The server has stored all up to this frame. */
  stored(sequence: number): void {
    this.buffer.forget(sequence);
  }

  fail(error: SaccadeClientError): void {
    this.pause();
    this.open.forEach(({ reject }) => reject(error));
    this.open.clear();
    this.wake();
  }

  private pump(): void {
    if (this.credits === 0) return;
    this.sendQuestions();
    while (this.frames.length > 0 && this.unanswered.size < this.credits) {
      const { picture, ...header } = this.frames.shift()!;
      this.unanswered.add(header.sequence);
      this.sender.frame(header, picture);
      this.sendQuestions();
    }
    if (this.wantsClose && !this.isCloseSent && this.frames.length === 0) {
      this.isCloseSent = true;
      this.sender.close();
    }
    if (this.hasCredit) this.wake();
  }

  /** What was seen until the question counts, so the frames before it go first. */
  private sendQuestions(): void {
    const next = this.frames[0]?.sequence ?? Infinity;
    const due = this.questions.filter(({ afterSequence }) => afterSequence < next);
    this.questions = this.questions.filter(({ afterSequence }) => afterSequence >= next);
    due.forEach((asked) => this.sender.question(asked));
  }

  private wake(): void {
    this.waiting.splice(0).forEach((resolve) => resolve());
  }
}
