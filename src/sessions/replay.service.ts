import { setTimeout as delay } from 'node:timers/promises';
import { FrameStream } from '../frames/frame-source.js';
import { toProblem } from '../http/problem.js';
import { LiveSession } from './live/live-session.js';
import { Held, LiveSessions } from './live/live-sessions.js';

/** Frames that may wait in the session: a replay faster than the server slows down and loses nothing. */
const MAX_WAITING = 4;

/** Plays videos into live sessions, frame by frame at their times, as a camera would. */
export class ReplayService {
  private readonly running = new Set<Promise<void>>();
  private readonly stopping = new AbortController();

  constructor(private readonly sessions: LiveSessions) {}

  /**
   * Begins a replay.
   * @param speed times real time
   * @param done is called when the video is not needed any more, if the replay has begun
   * @returns the session, once the video was opened
   * @throws SaccadeError when the video cannot be read
   */
  async start(
    open: (signal: AbortSignal) => Promise<FrameStream>,
    speed: number,
    done: () => Promise<void>,
  ): Promise<string> {
    const stream = await open(this.stopping.signal);
    const held = await this.sessions.open('replay', { takenOver: () => undefined });
    const playing = this.play(stream, held, speed).finally(done);
    this.running.add(playing);
    void playing.finally(() => this.running.delete(playing));
    return held.session.id;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await Promise.all(this.running);
  }

  private async play(stream: FrameStream, { session }: Held, speed: number): Promise<void> {
    const startedMs = performance.now();
    const signal = AbortSignal.any([session.ended, this.stopping.signal]);
    try {
      for await (const { index, timestampMs, ...picture } of stream) {
        const waitMs = startedMs + timestampMs / speed - performance.now();
        if (waitMs > 0) await delay(waitMs, undefined, { signal });
        await session.queuedBelow(MAX_WAITING);
        if (signal.aborted) return;
        session.push({
          sequence: index,
          timestampUs: Math.round(timestampMs * 1000),
          isKey: false,
          byteLength: 0, // so few wait that their bytes need no bound
          decode: async () => picture,
        });
      }
    } catch (error) {
      if (!signal.aborted) tellProblem(session, error);
    }
    if (!signal.aborted) await this.sessions.finish(session.id, 'closed');
  }
}

function tellProblem(session: LiveSession, error: unknown): void {
  session.tell({ event: 'error', data: toProblem(error) });
}
