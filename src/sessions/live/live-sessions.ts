import { v7 as uuidv7 } from 'uuid';
import { SaccadeError } from '../../errors/saccade-error.js';
import { KeyframeSelectorFactory } from '../../keyframes/keyframe-selector.js';
import { PerceptionPipeline } from '../../perception/perception-pipeline.js';
import { QuestionRunner } from '../../reason/question-runner.js';
import { Reasoner } from '../../reason/reasoner.js';
import { SessionMemories } from '../../reason/reason.service.js';
import { Seen } from '../../reason/seen.js';
import { decodeKeyframe } from '../../reason/video-watcher.js';
import { MemoryEntry } from '../../reasoning/memory/memory-entry.js';
import { ObservationMemory } from '../../reasoning/memory/observation-memory.js';
import { FrameOrder } from './frame-order.js';
import { LiveSession, LiveSessionOptions, ResumedSession } from './live-session.js';
import { LiveSessionRepository, StoredKeyframe } from './live-session.repository.js';
import { SessionClosed } from './session-events.js';
import { SessionQuestions, SessionQuestionsOptions } from './session-questions.js';
import { seenOf, settledWithin } from './session-seen.js';

export interface LiveSessionsOptions {
  maxSessions: number;
  maxLifetimeMs: number;
  /** How long a session is kept that nobody feeds. */
  resumeMs: number;
  /** How long a question over HTTP waits for what is on its way. */
  questionDeadlineMs: number;
  session: LiveSessionOptions;
  questions: SessionQuestionsOptions;
}

/** Who feeds a session; told when another does. */
export interface Feeder {
  takenOver(): void;
}

/** A live session in the memory of this server. */
export interface Held {
  session: LiveSession;
  questions: SessionQuestions;
}

interface Seat extends Held {
  feeder: Feeder | null;
  leaving: NodeJS.Timeout | null;
  lifetime: NodeJS.Timeout;
}

/** The live sessions of this server: opened, resumed, let go. */
export class LiveSessions implements SessionMemories {
  private readonly seats = new Map<string, Seat>();
  /** Sessions that are being opened count as well. */
  private opening = 0;
  private isClosing = false;

  constructor(
    private readonly selectors: KeyframeSelectorFactory,
    private readonly perception: PerceptionPipeline,
    private readonly reasoner: Reasoner,
    private readonly runner: QuestionRunner,
    private readonly repository: LiveSessionRepository,
    private readonly options: LiveSessionsOptions,
  ) {}

  /** @throws SaccadeError too_many_sessions */
  async open(source: 'stream' | 'replay', feeder: Feeder): Promise<Held> {
    return this.admitted(async () => {
      const id = uuidv7();
      await this.repository.create(id, source);
      return this.seat(id, null, feeder);
    });
  }

  /**
   * Goes on with a session: as it stands in memory, else from its last stored percept.
   * @throws SaccadeError no_such_session
   */
  async resume(id: string, feeder: Feeder): Promise<Held> {
    const there = this.seats.get(id);
    if (there !== undefined && there.session.ending === null) {
      there.feeder?.takenOver();
      there.feeder = feeder;
      if (there.leaving !== null) clearTimeout(there.leaving);
      there.leaving = null;
      return there;
    }
    await there?.session.ending;
    return this.admitted(async () => {
      const resumed = await this.restore(id);
      return this.seat(id, resumed, feeder);
    });
  }

  /** A session in the memory of this server. */
  find(id: string): Held | null {
    return this.seats.get(id) ?? null;
  }

  /** @throws SaccadeError no_such_session when it is not live here */
  async seen(id: string, signal: AbortSignal): Promise<Seen> {
    const started = performance.now();
    const live = this.seats.get(id)?.session ?? null;
    const settled =
      live !== null && live.ending === null
        ? await settledWithin(live, this.options.questionDeadlineMs, signal)
        : await this.stored(id, signal);
    return seenOf(id, settled, this.repository, { wait: Math.round(performance.now() - started) });
  }

  /** The connection broke: the session is kept for a while, then ended. */
  leave(id: string, feeder: Feeder): void {
    const seat = this.seats.get(id);
    if (seat === undefined || seat.feeder !== feeder || seat.session.ending !== null) return;
    seat.feeder = null;
    seat.leaving = setTimeout(() => void this.finish(id, 'left'), this.options.resumeMs);
  }

  /** Null when it is not live here. */
  async finish(id: string, reason: SessionClosed['reason']): Promise<SessionClosed | null> {
    const seat = this.seats.get(id);
    if (seat === undefined) return null;
    return seat.session.finish(reason, () => seat.questions.finish());
  }

  /** Ends a session at once, before it is deleted. */
  async abandon(id: string): Promise<void> {
    await this.seats.get(id)?.session.abandon('deleted');
  }

  /** Ends all sessions; each can be resumed elsewhere. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all([...this.seats.values()].map(({ session }) => session.abandon('server_stopping')));
  }

  private async admitted(open: () => Promise<Held>): Promise<Held> {
    const { maxSessions } = this.options;
    if (this.isClosing)
      throw new SaccadeError(
        'overloaded',
        'server_stopping',
        'The server is stopping. Connect again in a moment.',
      );
    if (this.seats.size + this.opening >= maxSessions)
      throw new SaccadeError(
        'overloaded',
        'too_many_sessions',
        `${maxSessions} sessions are live (STREAM_MAX_SESSIONS). Close one, or try again later.`,
        { limit: maxSessions },
      );
    this.opening++;
    try {
      return await open();
    } finally {
      this.opening--;
    }
  }

  private seat(id: string, resumed: ResumedSession | null, feeder: Feeder): Held {
    const session = new LiveSession(
      id,
      this.selectors.create(),
      this.perception,
      this.repository,
      this.options.session,
      resumed,
    );
    const questions = new SessionQuestions(
      session,
      this.reasoner,
      this.runner,
      this.repository,
      this.options.questions,
    );
    const lifetime = setTimeout(() => void this.finish(id, 'too_old'), this.options.maxLifetimeMs);
    const seat: Seat = { session, questions, feeder, leaving: null, lifetime };
    this.seats.set(id, seat);
    session.ended.addEventListener('abort', () => {
      clearTimeout(lifetime);
      if (seat.leaving !== null) clearTimeout(seat.leaving);
      if (this.seats.get(id) === seat) this.seats.delete(id);
    });
    return seat;
  }

  private async restore(id: string): Promise<ResumedSession | null> {
    const { source, startTimestampUs, last } = await this.repository.stream(id);
    if (source !== 'stream')
      throw new SaccadeError(
        'conflict',
        'session_not_a_stream',
        `Session ${id} was made from a video and takes no frames. Open a new session.`,
        { field: 'session_id' },
      );
    await this.repository.reopen(id);
    if (last === null) return null;
    const memory = new ObservationMemory(this.options.session.maxFrames);
    let newest = null;
    for await (const keyframe of this.repository.keyframes(id)) {
      memory.add(entryOf(keyframe));
      newest = keyframe;
    }
    const { index, frameIndex, timestampMs, sequence, percept } = newest!;
    const image = await decodeKeyframe(last.jpeg, { ...last, index, timestampMs });
    const startUs = Number(startTimestampUs!);
    const position = { sequence: Number(sequence!), timestampUs: startUs + timestampMs * 1000 };
    const perceived = { perceptId: '', percept, usage: NO_USAGE, cached: true };
    return {
      order: new FrameOrder(startUs, position),
      chain: {
        nextIndex: index + 1,
        previous: { picture: last, key: last.perceptKey, done: Promise.resolve(perceived) },
      },
      memory,
      keyframe: { index: frameIndex, timestampMs, width: last.width, height: last.height, rgb: image.rgb },
      frameCount: frameIndex + 1, // those after it come again
    };
  }

  private async stored(id: string, signal: AbortSignal) {
    const { durationMs } = await this.repository.stream(id);
    const memory = new ObservationMemory(this.options.session.maxFrames);
    for await (const keyframe of this.repository.keyframes(id)) {
      signal.throwIfAborted();
      memory.add(entryOf(keyframe));
    }
    return { memory: memory.snapshot(), seenUntilMs: durationMs };
  }
}

function entryOf({ id, timestampMs, percept }: StoredKeyframe): MemoryEntry {
  return { keyframeId: id, timestampMs, percept };
}

const NO_USAGE = { promptTokens: 0, completionTokens: 0, calls: 0 };
