import { setTimeout as delay } from 'node:timers/promises';
import OpenAI, { APIError, APIUserAbortError } from 'openai';
import { cancelled, SaccadeError } from '../../errors/saccade-error.js';
import { backoffMs, retryAfterMs } from '../../upstream/backoff.js';
import { RequestGate } from '../../upstream/request-gate.js';
import { isTransient, toUpstreamError, VLM } from '../../upstream/upstream-errors.js';
import { contradictionOf } from '../contradiction.js';
import { actionsOf } from '../ego-motion/actions.js';
import { Perceiver, Perception, PerceptionInput, PerceptionUsage, Picture } from '../perceiver.js';
import { Percept } from '../percept.js';
import { wordObservation } from '../wording.js';
import { FIRST_VIEW, NEXT_VIEW, PROMPT_VERSION, questionView, REPLY_SCHEMA } from './prompts.js';
import { parseQuestionReply, parseViewReply, ViewReply } from './reply-parser.js';

export interface VlmPerceiverOptions {
  /** Such as `http://gpu:8000/v1`. */
  baseUrl: string;
  model: string;
  apiKey?: string;
  hfovDeg: number;
  /** Longest time for one keyframe pair, tries included, once it has its turn. */
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

interface ViewRequest {
  prompt: string;
  images: readonly Pick<Picture, 'jpeg'>[];
  /** Whether the reply should be an object of REPLY_SCHEMA, or may be plain text. */
  asJson: boolean;
}

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
    const images = previous === null ? [keyframe] : [previous.picture, keyframe];
    const { value: reply, usage } = await this.ask(
      { prompt: previous === null ? FIRST_VIEW : NEXT_VIEW, images, asJson: true },
      parseViewReply,
      signal,
    );
    return {
      percept: this.percept(reply, previous === null ? null : actionsOf(steps)),
      usage,
    };
  }

  async perceiveForQuestion(
    keyframe: Picture,
    question: string,
    options: readonly string[],
    signal: AbortSignal,
  ): Promise<{ text: string; usage: PerceptionUsage }> {
    const { value, usage } = await this.ask(
      { prompt: questionView(question, options), images: [keyframe], asJson: false },
      parseQuestionReply,
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
    request: ViewRequest,
    parse: (text: string) => T | null,
    caller: AbortSignal,
  ): Promise<{ value: T; usage: PerceptionUsage }> {
    const { apiKey, timeoutMs } = this.options;
    const going = AbortSignal.any([caller, this.closing.signal]);
    let deadline: AbortSignal | null = null;
    try {
      return await this.gate.run(going, async () => {
        // A pair that waits behind others loses none of its time.
        deadline = AbortSignal.timeout(timeoutMs);
        const signal = AbortSignal.any([going, deadline]);
        return await this.askUntilRead(request, parse, signal);
      });
    } catch (error) {
      if (going.aborted) throw cancelled('Perceiving the keyframe');
      if ((deadline as AbortSignal | null)?.aborted && isAbort(error)) {
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

  private async askUntilRead<T>(
    request: ViewRequest,
    parse: (text: string) => T | null,
    signal: AbortSignal,
  ): Promise<{ value: T; usage: PerceptionUsage }> {
    const { maxRetries = 3, wait = waitFor } = this.options;
    const usage: PerceptionUsage = { promptTokens: 0, completionTokens: 0, calls: 0 };
    for (let attempt = 0; ;) {
      const withSchema = request.asJson && this.useSchema;
      try {
        const value = parse(await this.call(request, withSchema, usage, signal));
        if (value !== null) return { value, usage };
        throw unreadable();
      } catch (error) {
        if (withSchema && refusesSchema(error)) {
          this.useSchema = false;
          continue;
        }
        if (signal.aborted || attempt >= maxRetries || !canRetry(error)) throw error;
        const asked = error instanceof APIError ? retryAfterMs(error.headers, Date.now()) : null;
        // Out of time while waiting: what went wrong tells more than that time is up.
        await wait(asked ?? backoffMs(attempt), signal).catch(() => {
          throw error;
        });
        attempt++;
      }
    }
  }

  private async call(
    { prompt, images, asJson }: ViewRequest,
    withSchema: boolean,
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
        ...(withSchema
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
}

function waitFor(ms: number, signal: AbortSignal): Promise<unknown> {
  return delay(ms, undefined, { signal });
}

function unreadable(): SaccadeError {
  return new SaccadeError(
    'upstream',
    'vlm_garbage',
    'The vision-language model server sent something that is no description of the picture.',
    { upstream: 'vlm' },
  );
}

function refusesSchema(error: unknown): boolean {
  return (
    error instanceof APIError &&
    (error.status === 400 || error.status === 422) &&
    /response_format|json_schema|schema/i.test(error.message)
  );
}

function canRetry(error: unknown): boolean {
  return (
    isTransient(error) ||
    error instanceof SyntaxError ||
    (error instanceof SaccadeError && error.code === 'vlm_garbage')
  );
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

function imagePart({ jpeg }: Pick<Picture, 'jpeg'>) {
  return {
    type: 'image_url' as const,
    image_url: { url: `data:image/jpeg;base64,${jpeg.toString('base64')}` },
  };
}
