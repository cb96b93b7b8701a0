import { setTimeout as delay } from 'node:timers/promises';
import {
  AskedQuestion,
  FrameOutcome,
  SaccadeClientError,
  SaccadeStream,
} from '../../clients/typescript/src/index.js';
import { CameraFrame } from './camera-frames.js';

export interface ChurnCounts {
  sessions: number;
  frames: number;
  resumes: number;
  answers: number;
  left: number;
  deleted: number;
  /** What should not have happened. */
  problems: string[];
}

const QUESTION = { question: 'Which way did I turn?', options: ['left', 'right'] };
/** What a question may end with, besides an answer. */
const ENDS = new Set(['cancelled', 'session_closed', 'disconnected']);

/** Opens sessions one after the other and treats each badly in its own way. */
export class ChurningCamera {
  constructor(
    private readonly url: string,
    private readonly walk: readonly CameraFrame[],
    private readonly fps: number,
    private readonly random: () => number,
    private readonly counts: ChurnCounts,
  ) {}

  async run(untilMs: number): Promise<void> {
    while (performance.now() < untilMs) {
      try {
        await this.session(Math.min(untilMs, performance.now() + 5000 + this.random() * 40_000));
      } catch (error) {
        this.counts.problems.push(String(error));
      }
      await delay(this.random() * 1000);
    }
  }

  private get streamUrl(): string {
    return `${this.url.replace(/^http/, 'ws')}/stream`;
  }

  private async session(untilMs: number): Promise<void> {
    this.counts.sessions++;
    let stream = await SaccadeStream.open(this.streamUrl);
    const outcomes: Promise<FrameOutcome | null>[] = [];
    const questions: Promise<void>[] = [];
    let sent = 0;
    const startUs = Math.round(performance.now() * 1000);
    while (performance.now() < untilMs) {
      const { jpeg } = this.walk[sent % this.walk.length]!;
      const { outcome } = await stream.sendFrame(jpeg, {
        timestampUs: startUs + Math.round((sent * 1e6) / this.fps),
      });
      outcomes.push(outcome.catch(() => null));
      sent++;
      this.counts.frames++;
      const dice = this.random();
      if (dice < 0.04) questions.push(this.ask(stream));
      else if (dice < 0.06) stream = await this.dropAndResume(stream, outcomes);
      else if (dice < 0.07) await this.lookIn(stream.sessionId);
      await delay(1000 / this.fps);
    }
    await this.end(stream, sent);
    await Promise.all(questions);
    for (const outcome of await Promise.all(outcomes))
      if (outcome?.status === 'dropped' || outcome?.status === 'refused')
        this.counts.problems.push(`frame ${outcome.sequence} was ${outcome.status}`);
  }

  private async ask(stream: SaccadeStream): Promise<void> {
    const asked: AskedQuestion =
      this.random() < 0.5
        ? stream.ask(QUESTION, `q${this.random()}`)
        : stream.ask({ ...QUESTION, mode: 'wait', until: ['B'] }, `q${this.random()}`);
    if (this.random() < 0.3) asked.cancel();
    await asked.answer.then(
      () => void this.counts.answers++,
      (error: SaccadeClientError) => {
        if (!ENDS.has(error.code)) this.counts.problems.push(`question: ${error.code} ${error.message}`);
      },
    );
  }

  /** As a program that crashed and was started again, once its last frames were looked at. */
  private async dropAndResume(
    stream: SaccadeStream,
    outcomes: readonly Promise<FrameOutcome | null>[],
  ): Promise<SaccadeStream> {
    await Promise.all(outcomes);
    stream.disconnect();
    this.counts.resumes++;
    await delay(this.random() * 800);
    return SaccadeStream.resume(this.streamUrl, stream.sessionId);
  }

  private async lookIn(sessionId: string): Promise<void> {
    const watcher = await SaccadeStream.observe(this.streamUrl, sessionId, { thumbnails: true });
    await delay(500);
    watcher.disconnect();
  }

  private async end(stream: SaccadeStream, sent: number): Promise<void> {
    const dice = this.random();
    if (dice < 0.15) {
      this.counts.left++;
      stream.disconnect();
      return;
    }
    if (dice < 0.3) {
      this.counts.deleted++;
      const response = await fetch(`${this.url}/sessions/${stream.sessionId}`, { method: 'DELETE' });
      if (response.status !== 204) this.counts.problems.push(`delete: ${response.status}`);
      return;
    }
    const closed = await stream.close();
    const kept = (await (await fetch(`${this.url}/sessions/${stream.sessionId}`)).json()) as {
      frame_count: number;
      keyframes: { index: number }[];
      percepts: unknown[];
    };
    const inOrder = kept.keyframes.every(({ index }, i) => index === i);
    if (closed.frame_count !== sent || kept.frame_count !== sent)
      this.counts.problems.push(`${sent} frames sent, ${closed.frame_count} seen, ${kept.frame_count} kept`);
    if (!inOrder || kept.percepts.length !== closed.keyframe_count)
      this.counts.problems.push(`${closed.keyframe_count} keyframes, ${kept.percepts.length} percepts kept`);
  }
}
