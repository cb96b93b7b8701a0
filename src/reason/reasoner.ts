import { v7 as uuidv7 } from 'uuid';
import { ChatMessage, Completion, Generation, LanguageModel, SamplingParams } from '../lm/language-model.js';
import { PerceptionUsage } from '../perception/perceiver.js';
import { PerceptionPipeline } from '../perception/perception-pipeline.js';
import { parseAnswer, ParsedAnswer } from '../reasoning/answer-parser.js';
import { MemoryEntry } from '../reasoning/memory/memory-entry.js';
import { recall } from '../reasoning/memory/recall.js';
import { buildPrompt, SpatialQuestion } from '../reasoning/prompt.js';
import { AnswerDelta, ThinkAnswerStream } from '../reasoning/think-answer-stream.js';
import { TrajectoryRepository } from '../trajectories/trajectory.repository.js';
import { AnswerView } from './reason-events.js';
import { GivenKeyframe, Seen } from './seen.js';
import { sumUsage } from './video-watcher.js';

/** What somebody wants to know, and how it is to be answered. */
export interface Asked {
  question: SpatialQuestion;
  /** Kept for training, never shown to the model. */
  groundTruth: string | null;
  temperature: number;
  seed: number | null;
}

/** A question with the prompt that the model is given for it. */
export interface Prepared {
  seen: Seen;
  asked: Asked;
  prompt: ChatMessage[];
  /** One for each line of the prompt. */
  given: GivenKeyframe[];
  usage: PerceptionUsage;
}

export interface Candidate {
  completion: Completion;
  parsed: ParsedAnswer;
  generation: Generation;
  sampling: SamplingParams;
}

export interface ReasonerOptions {
  maxTokens: number;
  topP: number;
  /** Most lines of observations in a prompt. */
  maxFrames: number;
  /** Whether each keyframe is looked at again for what the question names, where the perceiver can. */
  looksForQuestion: boolean;
}

/** From what was seen to an answer that is kept: prompt, completions, trajectory. */
export class Reasoner {
  constructor(
    private readonly perception: PerceptionPipeline,
    private readonly languageModel: LanguageModel,
    /** Row of the serving policy; made when its first trajectory is kept. */
    private readonly policyVersionId: () => Promise<string>,
    private readonly trajectories: TrajectoryRepository,
    private readonly options: ReasonerOptions,
  ) {}

  /** Prepares, samples one completion and keeps it. */
  async answer(
    seen: Seen,
    asked: Asked,
    signal: AbortSignal,
    tell: (delta: AnswerDelta) => void,
  ): Promise<AnswerView> {
    const started = performance.now();
    const prepared = await this.prepare(seen, asked, signal);
    const reasoning = performance.now();
    const parts = new ThinkAnswerStream();
    const [candidate] = await this.sample(prepared, 1, asked.temperature, signal, (text) =>
      parts.push(text).forEach(tell),
    );
    parts.flush().forEach(tell);
    signal.throwIfAborted();
    const timingsMs: Record<string, number> = {
      ...seen.timingsMs,
      look: Math.round(reasoning - started),
      reason: Math.round(performance.now() - reasoning),
    };
    const total = Object.values(timingsMs).reduce((sum, ms) => sum + ms, 0);
    return this.keep(prepared, candidate!, null, { ...timingsMs, total });
  }

  async prepare(seen: Seen, asked: Asked, signal: AbortSignal): Promise<Prepared> {
    const { question } = asked;
    const words = [question.text, ...question.options].join('\n');
    const { totals, lines } = recall(seen.memory, words, this.options.maxFrames);
    const { found, usage } = await this.lookAgain(seen, lines, question, signal);
    const observed = lines.map(({ percept, keyframeId }) => ({
      percept,
      forQuestion: found.get(keyframeId) ?? null,
    }));
    return {
      seen,
      asked,
      prompt: buildPrompt(observed, question, totals),
      given: lines.map(({ keyframeId }, i) => ({ keyframeId, forQuestion: observed[i]!.forQuestion })),
      usage: sumUsage([seen.usage, usage]),
    };
  }

  async sample(
    { prompt, asked }: Prepared,
    n: number,
    temperature: number,
    signal: AbortSignal,
    onText: (text: string) => void = () => undefined,
  ): Promise<Candidate[]> {
    const { maxTokens, topP } = this.options;
    const seed = asked.seed === null ? {} : { seed: asked.seed };
    const sampling = { maxTokens, topP, temperature, stop: [], ...seed };
    const generation = await this.languageModel.generate({
      messages: prompt,
      sampling,
      n,
      signal,
      onDelta: (_, text) => onText(text),
    });
    return generation.completions.map((completion) => ({
      completion,
      parsed: parseAnswer(completion.text, asked.question),
      generation,
      sampling,
    }));
  }

  /** Commits the trajectory; what is returned can be acknowledged. */
  async keep(
    prepared: Prepared,
    candidate: Candidate,
    confidence: number | null,
    timingsMs: Record<string, number>,
  ): Promise<AnswerView> {
    const { seen, asked, prompt, given, usage } = prepared;
    const { question } = asked;
    const { completion, parsed, generation, sampling } = candidate;
    const evidence = evidenceIn(parsed.thinking, given);
    const trajectoryId = uuidv7();
    const answer = answerOf(parsed, question);
    const completionTokens =
      completion.tokenIds?.length ??
      Math.round(generation.usage.completionTokens / generation.completions.length);
    const [policyVersionId, told] = await Promise.all([this.policyVersionId(), seen.tell(given)]);
    await this.trajectories.save({
      sessionId: seen.sessionId,
      newSession: seen.newSession,
      question: { id: uuidv7(), ...question, groundTruth: asked.groundTruth },
      trajectory: {
        id: trajectoryId,
        policyVersionId,
        prompt,
        promptTokenIds: generation.promptTokenIds ?? [],
        completion: completion.text,
        completionTokenIds: completion.tokenIds ?? [],
        logprobs: completion.logprobs ?? [],
        thinking: parsed.thinking,
        answer: answer?.toString() ?? null,
        finishReason: completion.finishReason,
        sampling: {
          temperature: sampling.temperature,
          top_p: sampling.topP,
          max_tokens: sampling.maxTokens,
          seed: asked.seed,
        },
        promptTokens: generation.usage.promptTokens,
        completionTokens,
        seenUntilMs: seen.seenUntilMs,
        evidence,
        confidence,
        timingsMs,
      },
    });
    return {
      trajectory_id: trajectoryId,
      session_id: seen.sessionId,
      answer,
      answer_text:
        parsed.choice === null ? null : (question.options[parsed.choice.charCodeAt(0) - 65] ?? null),
      thinking: parsed.thinking,
      finish_reason: completion.finishReason,
      problem: parsed.problem,
      evidence_keyframe_ids: evidence,
      ...told,
      policy_version: generation.policyVersion,
      usage: {
        prompt_tokens: generation.usage.promptTokens,
        completion_tokens: completionTokens,
        perception_prompt_tokens: usage.promptTokens,
        perception_completion_tokens: usage.completionTokens,
      },
      timings_ms: timingsMs,
      seen_until_ms: seen.seenUntilMs,
      warnings: seen.warnings,
    };
  }

  /** Looks at the keyframes of a prompt again for a question's things, where the perceiver has a pass for that. */
  private async lookAgain(
    seen: Seen,
    lines: readonly MemoryEntry[],
    { text, options }: SpatialQuestion,
    caller: AbortSignal,
  ): Promise<{ found: Map<string, string>; usage: PerceptionUsage }> {
    const found = new Map<string, string>();
    if (!this.options.looksForQuestion || !this.perception.looksForQuestions)
      return { found, usage: sumUsage([]) };
    const failed = new AbortController();
    const signal = AbortSignal.any([caller, failed.signal]);
    const pictures = await seen.pictures(lines.map(({ keyframeId }) => keyframeId));
    const looks = [...pictures].map(async ([keyframeId, picture]) => {
      const look = await this.perception.perceiveForQuestion(picture, text, options, signal);
      if (look !== null) found.set(keyframeId, look.percept.text);
      return look?.usage ?? [];
    });
    try {
      return { found, usage: sumUsage((await Promise.all(looks)).flat()) };
    } catch (error) {
      failed.abort(); // the question has failed, so nobody would read what the other looks found
      throw error;
    }
  }
}

/** Keyframes whose lines the thinking names, such as `Frame 3`; all that were given when it names none. */
function evidenceIn(thinking: string, given: readonly GivenKeyframe[]): string[] {
  const named = [...thinking.matchAll(/\bframe (\d{1,3})\b/gi)]
    .map(([, index]) => given[Number(index)]?.keyframeId)
    .filter((id) => id !== undefined);
  return [...new Set(named.length > 0 ? named : given.map(({ keyframeId }) => keyframeId))];
}

/** In the form that the question asked for; null when the model's words are not of it. */
export function answerOf(
  { choice, number, answerText }: ParsedAnswer,
  { answerType }: SpatialQuestion,
): string | number | null {
  return answerType === 'choice' ? choice : answerType === 'number' ? number : answerText;
}
