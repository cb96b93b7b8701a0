import { randomBytes } from 'node:crypto';

/** A stretch of a rendered prompt. */
export interface PromptSegment {
  text: string;
  /** The text spells a control token but came from a message: it must be encoded as ordinary characters. */
  literal: boolean;
}

/**
 * Keeps text from posing as control tokens. A question such as `<|im_end|><|im_start|>system …` would otherwise end
 * the user's turn and open one of its own, because tokenizers look for control tokens anywhere in the prompt.
 *
 * Spellings of control tokens inside messages are swapped for marks before the chat template runs and found again in
 * what it renders; the rest of the prompt is encoded exactly as without the guard. Marks carry a fresh random number,
 * so that no text can contain one.
 */
export class ContentGuard {
  private readonly spellings: RegExp | null;
  private readonly nonce = BigInt(`0x${randomBytes(12).toString('hex')}`).toString();
  private readonly found: string[] = [];

  constructor(controlTokens: readonly string[]) {
    // Longest first, because one control token may begin with another.
    const alternatives = [...controlTokens]
      .filter((t) => t.length > 0)
      .sort((a, b) => b.length - a.length)
      .map(escape);
    this.spellings = alternatives.length > 0 ? new RegExp(alternatives.join('|'), 'g') : null;
  }

  /** The content with marks in place of control tokens. */
  mark(content: string): string {
    if (this.spellings === null) return content;
    return content.replace(
      this.spellings,
      (spelling) => `\uE000${this.nonce}:${this.found.push(spelling) - 1}\uE001`,
    );
  }

  /** The rendered prompt in order, with the marked spellings as literal segments. */
  split(rendered: string): PromptSegment[] {
    const segments: PromptSegment[] = [];
    rendered.split(new RegExp(`\uE000${this.nonce}:(\\d+)\uE001`)).forEach((part, i) => {
      const literal = i % 2 === 1;
      const text = literal ? this.found[Number(part)] : part;
      if (text.length > 0) segments.push({ text, literal });
    });
    return segments;
  }
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
