import { v7 as uuidv7 } from 'uuid';
import { FrameStream } from '../frames/frame-source.js';
import { ObservationMemory } from '../reasoning/memory/observation-memory.js';
import { viewKeyframe, viewPercept } from './keyframe-json.js';
import { QuestionRunner } from './question-runner.js';
import { AnswerView, ReasonEvent } from './reason-events.js';
import { Asked, Reasoner } from './reasoner.js';
import { Seen } from './seen.js';
import { Observation, VideoWatcher } from './video-watcher.js';

/** What a question is about. */
export type Subject =
  | {
      source: 'upload' | 'url' | 'frames';
      /** Opens the video under the signal of the whole question. */
      open: (signal: AbortSignal) => Promise<FrameStream>;
    }
  | { sessionId: string };

export interface ReasonRequest extends Asked {
  subject: Subject;
}

/** Port: what a session has seen by now, live or finished. */
export interface SessionMemories {
  /** @throws SaccadeError not_found */
  seen(sessionId: string, signal: AbortSignal): Promise<Seen>;
}

/** Answers a question about a video or a session: watch, perceive, reason, keep the trajectory, reply. */
export class ReasonService {
  constructor(
    private readonly watcher: VideoWatcher,
    private readonly sessions: SessionMemories,
    private readonly runner: QuestionRunner,
    private readonly reasoner: Reasoner,
    /** Most lines of observations in a prompt. */
    private readonly maxFrames: number,
  ) {}

  /**
   * @param tell is given each event as it happens; the answer comes last, after it was committed
   * @throws SaccadeError by whose fault it is; nothing is written then
   */
  async reason(
    { subject, ...asked }: ReasonRequest,
    caller: AbortSignal,
    tell: (event: ReasonEvent) => void,
  ): Promise<AnswerView> {
    const view = await this.runner.run(caller, async (signal) => {
      const seen = await this.see(subject, signal, tell);
      return this.reasoner.answer(seen, asked, signal, (data) => tell({ event: 'answer.delta', data }));
    });
    tell({ event: 'answer', data: view });
    return view;
  }

  private async see(
    subject: Subject,
    signal: AbortSignal,
    tell: (event: ReasonEvent) => void,
  ): Promise<Seen> {
    if ('sessionId' in subject) return this.sessions.seen(subject.sessionId, signal);
    const stream = await subject.open(signal);
    const observation = await this.watcher.watch(stream, signal, tell);
    return this.seenVideo(subject.source, observation, [...stream.warnings]);
  }

  private seenVideo(
    source: 'upload' | 'url' | 'frames',
    { keyframes, frameCount, durationMs, usage, decodeMs, perceptionMs }: Observation,
    warnings: string[],
  ): Seen {
    const memory = new ObservationMemory(this.maxFrames);
    for (const { id, timestampMs, percept } of keyframes)
      memory.add({ keyframeId: id, timestampMs, percept });
    const sessionId = uuidv7();
    return {
      sessionId,
      newSession: {
        source,
        durationMs: Math.round(durationMs),
        frameCount,
        warnings,
        keyframes: keyframes.map((keyframe) => ({
          id: keyframe.id,
          index: keyframe.index,
          frameIndex: keyframe.frameIndex,
          timestampMs: Math.round(keyframe.timestampMs),
          sequence: null,
          width: keyframe.width,
          height: keyframe.height,
          contentHash: keyframe.contentHash,
          jpeg: keyframe.jpeg,
          reason: keyframe.reason,
          overlapRatio: keyframe.decision.overlapRatio,
          matchCount: keyframe.decision.matchCount,
          inlierCount: keyframe.decision.inlierCount,
          perceptId: keyframe.perceptId,
        })),
      },
      memory: memory.snapshot(),
      seenUntilMs: Math.round(durationMs),
      usage,
      timingsMs: { observe: Math.round(decodeMs), perceive: Math.round(perceptionMs) },
      warnings,
      pictures: async (ids) =>
        new Map(keyframes.filter(({ id }) => ids.includes(id)).map((keyframe) => [keyframe.id, keyframe])),
      tell: async (given) => {
        const forQuestion = new Map(given.map((each) => [each.keyframeId, each.forQuestion]));
        return {
          keyframes: keyframes.map((keyframe) => viewKeyframe({ ...keyframe, ...keyframe.decision })),
          percepts: keyframes.map((keyframe) =>
            viewPercept(keyframe.id, keyframe, forQuestion.get(keyframe.id) ?? null),
          ),
        };
      },
    };
  }
}
