import { v7 as uuidv7 } from 'uuid';
import { FrameStream } from '../frames/frame-source.js';
import { Completion, Generation, LanguageModel, SamplingParams } from '../lm/language-model.js';
import { parseAnswer, ParsedAnswer } from '../reasoning/answer-parser.js';
import { buildPrompt, SpatialQuestion } from '../reasoning/prompt.js';
import { ThinkAnswerStream } from '../reasoning/think-answer-stream.js';
import { AnsweredQuestion } from '../trajectories/answered-question.js';
import { TrajectoryRepository } from '../trajectories/trajectory.repository.js';
import { Admission } from './admission.js';
import { withDeadline } from './deadline.js';
import { Observation, Observer, viewKeyframe, viewPercept } from './observer.js';
import { AnswerView, ReasonEvent } from './reason-events.js';

export interface ReasonRequest {
  source: 'upload' | 'url' | 'frames';
  /** Opens the video under the signal of the whole question. */
  open: (signal: AbortSignal) => Promise<FrameStream>;
  question: SpatialQuestion;
  groundTruth: string | null;
  temperature: number;
  seed: number | null;
}

export interface ReasonOptions {
  timeoutMs: number;
  maxConcurrent: number;
  maxTokens: number;
  topP: number;
  /** Whether each keyframe is looked at again for what the question names, where the perceiver can. */
  looksForQuestion: boolean;
}

/** Answers a question about a video: watch, perceive, reason, keep the trajectory, reply. */
export class ReasonService {
  private readonly admission: Admission;

  constructor(
    private readonly observer: Observer,
    private readonly languageModel: LanguageModel,
    /** Row of the serving policy; made when its first trajectory is kept. */
    private readonly policyVersionId: () => Promise<string>,
    private readonly trajectories: TrajectoryRepository,
    private readonly options: ReasonOptions,
  ) {
    this.admission = new Admission(options.maxConcurrent);
  }

  /**
   * @param tell is given each event as it happens; the answer comes last, after it was committed
   * @throws SaccadeError by whose fault it is; nothing is written then
   */
  async reason(
    request: ReasonRequest,
    caller: AbortSignal,
    tell: (event: ReasonEvent) => void,
  ): Promise<AnswerView> {
    const view = await this.admission.run(() =>
      withDeadline(caller, this.options.timeoutMs, (signal) => this.answer(request, signal, tell)),
    );
    tell({ event: 'answer', data: view });
    return view;
  }

  private async answer(
    request: ReasonRequest,
    signal: AbortSignal,
    tell: (event: ReasonEvent) => void,
  ): Promise<AnswerView> {
    const started = performance.now();
    const stream = await request.open(signal);
    const watched = await this.observer.observe(stream, signal, tell);
    const observation = this.options.looksForQuestion
      ? await this.observer.lookFor(watched, request.question, signal)
      : watched;
    const prompt = buildPrompt(observation.keyframes, request.question);
    const sampling = this.sampling(request);
    const reasoningStarted = performance.now();
    const parts = new ThinkAnswerStream();
    const generation = await this.languageModel.generate({
      messages: prompt,
      sampling,
      n: 1,
      signal,
      onDelta: (_, text) => parts.push(text).forEach((data) => tell({ event: 'answer.delta', data })),
    });
    const completion = generation.completions[0]!;
    parts.flush().forEach((data) => tell({ event: 'answer.delta', data }));
    const parsed = parseAnswer(completion.text, request.question);
    const timingsMs = {
      observe: Math.round(observation.decodeMs),
      perceive: Math.round(observation.perceptionMs),
      reason: Math.round(performance.now() - reasoningStarted),
      total: Math.round(performance.now() - started),
    };
    signal.throwIfAborted();
    const answered = this.record(request, {
      policyVersionId: await this.policyVersionId(),
      observation,
      warnings: [...stream.warnings],
      prompt,
      sampling,
      generation,
      completion,
      parsed,
      timingsMs,
    });
    await this.trajectories.save(answered);
    return this.view(answered, observation, parsed, request.question);
  }

  private sampling({ temperature, seed }: ReasonRequest): SamplingParams {
    const { maxTokens, topP } = this.options;
    return { maxTokens, topP, temperature, stop: [], ...(seed === null ? {} : { seed }) };
  }

  private record(
    { source, question, groundTruth, seed }: ReasonRequest,
    made: {
      policyVersionId: string;
      observation: Observation;
      warnings: string[];
      prompt: AnsweredQuestion['trajectory']['prompt'];
      sampling: SamplingParams;
      generation: Generation;
      completion: Completion;
      parsed: ParsedAnswer;
      timingsMs: Record<string, number>;
    },
  ): AnsweredQuestion {
    const {
      policyVersionId,
      observation,
      warnings,
      prompt,
      sampling,
      generation,
      completion,
      parsed,
      timingsMs,
    } = made;
    return {
      session: {
        id: uuidv7(),
        source,
        durationMs: Math.round(observation.durationMs),
        frameCount: observation.frameCount,
        warnings,
        keyframes: observation.keyframes.map(
          ({
            id,
            index,
            frameIndex,
            timestampMs,
            width,
            height,
            contentHash,
            jpeg,
            reason,
            decision,
            perceptId,
          }) => ({
            id,
            index,
            frameIndex,
            timestampMs: Math.round(timestampMs),
            width,
            height,
            contentHash,
            jpeg,
            reason,
            overlapRatio: decision.overlapRatio,
            matchCount: decision.matchCount,
            inlierCount: decision.inlierCount,
            perceptId,
          }),
        ),
      },
      question: {
        id: uuidv7(),
        text: question.text,
        options: question.options,
        answerType: question.answerType,
        groundTruth,
      },
      trajectory: {
        id: uuidv7(),
        policyVersionId,
        prompt,
        promptTokenIds: generation.promptTokenIds ?? [],
        completion: completion.text,
        completionTokenIds: completion.tokenIds ?? [],
        logprobs: completion.logprobs ?? [],
        thinking: parsed.thinking,
        answer: answerOf(parsed, question)?.toString() ?? null,
        finishReason: completion.finishReason,
        sampling: {
          temperature: sampling.temperature,
          top_p: sampling.topP,
          max_tokens: sampling.maxTokens,
          seed,
        },
        promptTokens: generation.usage.promptTokens,
        completionTokens: generation.usage.completionTokens,
        seenUntilMs: Math.round(observation.durationMs),
        timingsMs,
      },
    };
  }

  private view(
    { session, trajectory }: AnsweredQuestion,
    observation: Observation,
    parsed: ParsedAnswer,
    question: SpatialQuestion,
  ): AnswerView {
    return {
      trajectory_id: trajectory.id,
      session_id: session.id,
      answer: answerOf(parsed, question),
      answer_text:
        parsed.choice === null ? null : (question.options[parsed.choice.charCodeAt(0) - 65] ?? null),
      thinking: parsed.thinking,
      finish_reason: trajectory.finishReason,
      problem: parsed.problem,
      keyframes: observation.keyframes.map((keyframe) => viewKeyframe(keyframe.id, keyframe.index, keyframe)),
      percepts: observation.keyframes.map(viewPercept),
      policy_version: this.languageModel.policyVersion,
      usage: {
        prompt_tokens: trajectory.promptTokens,
        completion_tokens: trajectory.completionTokens,
        perception_prompt_tokens: observation.usage.promptTokens,
        perception_completion_tokens: observation.usage.completionTokens,
      },
      timings_ms: trajectory.timingsMs,
      seen_until_ms: trajectory.seenUntilMs,
      warnings: session.warnings,
    };
  }
}

/** In the form that the question asked for; null when the model's words are not of it. */
function answerOf(
  { choice, number, answerText }: ParsedAnswer,
  { answerType }: SpatialQuestion,
): string | number | null {
  return answerType === 'choice' ? choice : answerType === 'number' ? number : answerText;
}
