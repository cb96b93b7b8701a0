import { ChatCompletionChunk } from 'openai/resources/chat/completions';
import { SaccadeError } from '../../errors/saccade-error.js';
import { Completion, FinishReason } from '../language-model.js';

type Choice = ChatCompletionChunk.Choice & {
  /** vLLM, on request. */
  token_ids?: number[] | null;
  delta: { reasoning_content?: string | null; reasoning?: string | null };
};

export type CompletionChunk = ChatCompletionChunk & { prompt_token_ids?: number[] | null };

interface Draft {
  text: string;
  thinking: 'none' | 'open' | 'closed';
  tokenIds: number[];
  logprobs: number[];
  finishReason: FinishReason | null;
}

function unusable(code: string, problem: string): SaccadeError {
  return new SaccadeError('upstream', code, `The language model server ${problem}.`, { upstream: 'lm' });
}

/**
 * Puts the chunks of a stream together. Thinking that the server splits from the answer is put back as `<think>` text,
 * so that callers see one text whatever parser the server runs.
 */
export class CompletionAssembler {
  private readonly drafts: Draft[];
  private promptTokenIds: number[] | null = null;
  private usage: { promptTokens: number; completionTokens: number } | null = null;

  constructor(
    n: number,
    private readonly onDelta: (index: number, text: string) => void,
  ) {
    this.drafts = Array.from({ length: n }, () => ({
      text: '',
      thinking: 'none',
      tokenIds: [],
      logprobs: [],
      finishReason: null,
    }));
  }

  accept(chunk: CompletionChunk): void {
    // A proxy that fails half way may send an error as an event, which the client does not always raise.
    if (!Array.isArray(chunk.choices))
      throw unusable('lm_garbage', 'sent an event that is no completion chunk');
    if (chunk.prompt_token_ids) this.promptTokenIds = chunk.prompt_token_ids;
    if (chunk.usage)
      this.usage = {
        promptTokens: chunk.usage.prompt_tokens,
        completionTokens: chunk.usage.completion_tokens,
      };
    for (const choice of chunk.choices as Choice[]) this.acceptChoice(choice);
  }

  /** @throws when the stream ended before every completion did */
  finish(): {
    promptTokenIds: number[] | null;
    completions: Completion[];
    usage: { promptTokens: number; completionTokens: number };
  } {
    const completions = this.drafts.map(({ text, tokenIds, logprobs, finishReason }) => {
      if (finishReason === null)
        throw unusable('lm_stream_cut', 'ended its stream before the answer was complete');
      const ids = tokenIds.length > 0 ? tokenIds : null;
      // One log-probability per token, or they cannot be told apart.
      const aligned = logprobs.length > 0 && (ids === null || ids.length === logprobs.length);
      return { text, tokenIds: ids, logprobs: aligned ? logprobs : null, finishReason };
    });
    const counted = completions.reduce((sum, c) => sum + (c.tokenIds?.length ?? c.logprobs?.length ?? 0), 0);
    const usage = this.usage ?? { promptTokens: this.promptTokenIds?.length ?? 0, completionTokens: counted };
    return { promptTokenIds: this.promptTokenIds, completions, usage };
  }

  private acceptChoice(choice: Choice): void {
    const draft = this.drafts[choice.index];
    if (draft === undefined)
      throw unusable('lm_garbage', `sent completion ${choice.index}, which was not asked for`);
    const thinking = choice.delta?.reasoning_content ?? choice.delta?.reasoning ?? '';
    if (thinking.length > 0) {
      if (draft.thinking === 'none') this.append(draft, choice.index, '<think>');
      draft.thinking = 'open';
      this.append(draft, choice.index, thinking);
    }
    const content = choice.delta?.content ?? '';
    if (content.length > 0) {
      this.closeThinking(draft, choice.index);
      this.append(draft, choice.index, content);
    }
    if (choice.token_ids) draft.tokenIds.push(...choice.token_ids);
    for (const { logprob } of choice.logprobs?.content ?? []) draft.logprobs.push(logprob);
    if (choice.finish_reason === null || choice.finish_reason === undefined) return;
    if (choice.finish_reason !== 'stop' && choice.finish_reason !== 'length')
      throw unusable('lm_refused', `ended a completion with the reason "${String(choice.finish_reason)}"`);
    draft.finishReason = choice.finish_reason;
    // Cut off while thinking stays open, as the model left it.
    if (choice.finish_reason === 'stop') this.closeThinking(draft, choice.index);
  }

  private closeThinking(draft: Draft, index: number): void {
    if (draft.thinking !== 'open') return;
    draft.thinking = 'closed';
    this.append(draft, index, '</think>');
  }

  private append(draft: Draft, index: number, text: string): void {
    draft.text += text;
    this.onDelta(index, text);
  }
}
