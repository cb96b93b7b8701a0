export interface AnswerDelta {
  part: 'thinking' | 'answer';
  text: string;
}

type State = 'before' | 'thinking' | 'between' | 'answer' | 'after';

/** The tag that leads on from each state, and where to. */
const EXITS: Readonly<Record<State, readonly { tag: string; to: State }[]>> = {
  before: [
    { tag: '<think>', to: 'thinking' },
    { tag: '</think>', to: 'between' },
    { tag: '<answer>', to: 'answer' },
  ],
  // An <answer> tag inside the thinking is a mention, as in the parser.
  thinking: [{ tag: '</think>', to: 'between' }],
  between: [{ tag: '<answer>', to: 'answer' }],
  answer: [{ tag: '</answer>', to: 'after' }],
  after: [],
};

/**
 * Sorts the pieces of a completion into thinking and answer while they come. Tags may be spread over pieces; white
 * space at either end of a part is left out. Text before any tag counts as thinking; text between the thinking
 * and an answer tag is the answer only if no answer tag follows.
 */
export class ThinkAnswerStream {
  private state: State = 'before';
  private held = '';
  private space = '';
  private isPartBegun = false;
  private untagged = '';

  push(piece: string): AnswerDelta[] {
    const deltas: AnswerDelta[] = [];
    let text = this.held + piece;
    for (;;) {
      const next = firstTag(text, EXITS[this.state]);
      if (next === null) break;
      this.emit(deltas, text.slice(0, next.at));
      text = text.slice(next.at + next.tag.length);
      this.enter(next.to);
    }
    const keep = Math.max(0, ...EXITS[this.state].map(({ tag }) => overlap(text, tag)));
    this.held = text.slice(text.length - keep);
    this.emit(deltas, text.slice(0, text.length - keep));
    return deltas;
  }

  /** What was held back: the possible beginning of a tag, or an answer without tags. */
  flush(): AnswerDelta[] {
    const deltas: AnswerDelta[] = [];
    this.emit(deltas, this.held);
    this.held = '';
    const untagged = this.state === 'between' ? this.untagged.trim() : '';
    if (untagged !== '') deltas.push({ part: 'answer', text: untagged });
    return deltas;
  }

  private enter(state: State): void {
    this.state = state;
    this.space = '';
    this.isPartBegun = false;
  }

  private emit(deltas: AnswerDelta[], text: string): void {
    if (this.state === 'after') return;
    if (this.state === 'between') {
      this.untagged += text;
      return;
    }
    const trimmed = text.trimEnd();
    if (trimmed === '') {
      if (this.isPartBegun) this.space += text;
      return;
    }
    const part = this.state === 'before' || this.state === 'thinking' ? 'thinking' : 'answer';
    deltas.push({ part, text: this.isPartBegun ? this.space + trimmed : trimmed.trimStart() });
    this.space = text.slice(trimmed.length);
    this.isPartBegun = true;
  }
}

function firstTag(
  text: string,
  exits: readonly { tag: string; to: State }[],
): { tag: string; to: State; at: number } | null {
  const found = exits.map((exit) => ({ ...exit, at: text.indexOf(exit.tag) })).filter(({ at }) => at >= 0);
  return found.sort((a, b) => a.at - b.at)[0] ?? null;
}

/** Length of the longest end of `text` that `tag` begins with. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--)
    if (text.endsWith(tag.slice(0, length))) return length;
  return 0;
}
