import { setTimeout as delay } from 'node:timers/promises';
import OpenAI, { APIError, APIUserAbortError } from 'openai';
import { cancelled, SaccadeError } from '../../errors/saccade-error.js';
import { backoffMs, retryAfterMs } from '../../upstream/backoff.js';
import { RequestGate } from '../../upstream/request-gate.js';
import { isTransient, toUpstreamError, VLM } from '../../upstream/upstream-errors.js';
import { contradictionOf } from '../contradiction.js';
import { actionsOf } from '../ego-motion/actions.js';
import { KeyframeImage, Perceiver, Perception, PerceptionInput, PerceptionUsage } from '../perceiver.js';
import { Percept } from '../percept.js';
import { wordObservation } from '../wording.js';
import { FIRST_VIEW, NEXT_VIEW, PROMPT_VERSION, questionView, REPLY_SCHEMA } from './prompts.js';
import { parseViewReply, ViewReply } from './reply-parser.js';

export interface VlmPerceiverOptions {
  /** Such as `http://gpu:8000/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  hfovDeg: number;
  /** Longest time for one keyframe pair, tries included. */
  timeoutMs: number;
  maxConcurrent: number;
  /** Calls that may wait for their turn; 256 by default. */
  maxQueued?: number;
  /** Tries after the first; 3 by default. */
  maxRetries?: number;
  /** Waits between tries; for tests. */
  wait?: (ms: number, signal: AbortSignal) => Promise<unknown>;
}

const MAX_TOKENS = 700;

/** Perceives with a vision-language model on an OpenAI-compatible server, and checks its word on movement by geometry. */
export class VlmPerceiver implements Perceiver {
  readonly name = 'openai';
  readonly version: string;
  private readonly client: OpenAI;
  private readonly gate: RequestGate;
  private readonly closing = new AbortController();
  /** Turned off when the server refuses schemas. */
  private useSchema = true;

  constructor(private readonly options: VlmPerceiverOptions) {
    this.version = `${PROMPT_VERSION} ${options.model} hfov=${options.hfovDeg}`;
    this.client = new OpenAI({
      baseURL: options.baseUrl,
      apiKey: options.apiKey ?? 'none',
      organization: null,
      project: null,
      logLevel: 'off',
      maxRetries: 0,
      timeout: options.timeoutMs,
    });
    this.gate = new RequestGate(options.maxConcurrent, options.maxQueued ?? 256, VLM);
  }

  async perceive({ keyframe, previous, steps, signal }: PerceptionInput): Promise<Perception> {
    const images = previous === null ? [keyframe] : [previous.image, keyframe];
    const { value: reply, usage } = await this.ask(
      previous === null ? FIRST_VIEW : NEXT_VIEW,
      images,
      true,
      parseViewReply,
      signal,
    );
    return {
      percept: this.percept(reply, previous === null ? null : actionsOf(steps, this.options.hfovDeg)),
      usage,
    };
  }

  async perceiveForQuestion(
    keyframe: Pick<KeyframeImage, 'jpeg'>,
    question: string,
    options: readonly string[],
    signal: AbortSignal,
  ): Promise<{ text: string; usage: PerceptionUsage }> {
    const asText = (text: string) =>
      text.trim() === '' ? null : text.replace(/[<>]/g, ' ').replace(/\s+/g, ' ').trim();
    const { value, usage } = await this.ask(
      questionView(question, options),
      [keyframe],
      false,
      asText,
      signal,
    );
    return { text: value, usage };
  }

  async close(): Promise<void> {
    this.closing.abort();
  }

  /** The geometry's actions are kept where it measured any; the model's claim stands in where it did not. */
  private percept(reply: ViewReply, measured: Percept['actions'] | null): Percept {
    const claimed = reply.action === null ? [] : [{ action: reply.action, degrees: null }];
    const objects = reply.objects.map((object) => ({ ...object, isNew: object.isNew && measured !== null }));
    const observation = wordObservation(objects, reply.gone);
    return {
      actions: measured === null ? [] : measured.length > 0 ? measured : claimed,
      objects,
      gone: reply.gone,
      text: reply.description === '' ? observation : `${observation}. ${reply.description}`,
      contradiction: measured === null ? null : contradictionOf(reply.action, measured),
    };
  }

  /** Asks until a reply can be read, within one deadline. Usage counts every call that was answered. */
  private async ask<T>(
    prompt: string,
    images: readonly Pick<KeyframeImage, 'jpeg'>[],
    asJson: boolean,
    parse: (text: string) => T | null,
    caller: AbortSignal,
  ): Promise<{ value: T; usage: PerceptionUsage }> {
    const { apiKey, timeoutMs, maxRetries = 3 } = this.options;
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([caller, deadline, this.closing.signal]);
    const wait =
      this.options.wait ?? ((ms: number, until: AbortSignal) => delay(ms, undefined, { signal: until }));
    const usage: PerceptionUsage = { promptTokens: 0, completionTokens: 0, calls: 0 };
    try {
      return await this.gate.run(signal, async () => {
        for (let attempt = 0; ; attempt++) {
          try {
            const value = parse(await this.call(prompt, images, asJson, usage, signal));
            if (value !== null) return { value, usage };
            throw new SaccadeError(
              'upstream',
              'vlm_garbage',
              'The vision-language model server sent something that is no description of the picture.',
              { upstream: 'vlm' },
            );
          } catch (error) {
            if (signal.aborted || attempt >= maxRetries || !this.canRetry(error)) throw error;
            const asked = error instanceof APIError ? retryAfterMs(error.headers, Date.now()) : null;
            // Out of time while waiting: what went wrong tells more than that time is up.
            await wait(asked ?? backoffMs(attempt), signal).catch(() => {
              throw error;
            });
          }
        }
      });
    } catch (error) {
      if (caller.aborted || this.closing.signal.aborted) throw cancelled('Perceiving the keyframe');
      if (deadline.aborted && isAbort(error)) {
        throw new SaccadeError(
          'deadline',
          'vlm_deadline',
          `The vision-language model server took longer than ${timeoutMs} ms (PERCEPTION_TIMEOUT_MS).`,
          { limit: timeoutMs, upstream: 'vlm' },
        );
      }
      throw toUpstreamError(error, apiKey, VLM);
    }
  }

  private async call(
    prompt: string,
    images: readonly Pick<KeyframeImage, 'jpeg'>[],
    asJson: boolean,
    usage: PerceptionUsage,
    signal: AbortSignal,
  ): Promise<string> {
    usage.calls++;
    const completion = await this.client.chat.completions.create(
      {
        model: this.options.model,
        temperature: 0,
        max_tokens: MAX_TOKENS,
        messages: [
          {
            role: 'user',
            content: [...images.map(imagePart), { type: 'text', text: prompt + (asJson ? JSON_HINT : '') }],
          },
        ],
        ...(asJson && this.useSchema
          ? {
              response_format: {
                type: 'json_schema' as const,
                json_schema: { name: 'view', strict: true, schema: REPLY_SCHEMA },
              },
            }
          : {}),
      },
      { signal },
    );
    usage.promptTokens += completion.usage?.prompt_tokens ?? 0;
    usage.completionTokens += completion.usage?.completion_tokens ?? 0;
    return completion.choices?.[0]?.message?.content ?? '';
  }

  private canRetry(error: unknown): boolean {
    if (
      error instanceof APIError &&
      (error.status === 400 || error.status === 422) &&
      this.useSchema &&
      /response_format|json_schema|schema/i.test(error.message)
    ) {
      this.useSchema = false;
      return true;
    }
    return (
      isTransient(error) ||
      error instanceof SyntaxError ||
      (error instanceof SaccadeError && error.code === 'vlm_garbage')
    );
  }
}

function isAbort(error: unknown): boolean {
  return (
    error instanceof APIUserAbortError ||
    (error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError'))
  );
}

/** For servers that take no schema. */
const JSON_HINT =
  ' Reply with JSON only: {"action": one of the actions or null, "objects": [{"name", "colour", "bearing", "distance", "new"}], "gone": [names], "description": text}.';

function imagePart({ jpeg }: Pick<KeyframeImage, 'jpeg'>) {
  return {
    type: 'image_url' as const,
    image_url: { url: `data:image/jpeg;base64,${jpeg.toString('base64')}` },
  };
}
