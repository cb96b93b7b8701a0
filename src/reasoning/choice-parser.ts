import { optionLetter } from './prompt.js';

export interface ParsedChoice {
  letter: string | null;
  problem: string | null;
}

/** An answer such as "not the left" names an option without choosing it. */
const NEGATION = /\b(not|isn't|aren't|wrong|incorrect|neither|except|nor|cannot|can't)\b/i;

/**
 * The option that an answer means: its letter ("C", "(c)", "**C.**"), its text ("the left"), both ("B. left"), or
 * either inside a short sentence. An answer that could mean two options means none.
 */
export function parseChoice(answer: string, options: readonly string[]): ParsedChoice {
  const bare = stripMarkup(answer);
  const lone = /^[^\p{L}\p{N}]*([A-Za-z])[^\p{L}\p{N}]*$/u.exec(bare);
  if (lone) return byLetter(lone[1], options);
  const equal = indicesOf(options, (option) => normalise(option) === normalise(bare));
  if (equal.length > 0) return single(equal);
  return leadingLetter(bare, options) ?? namedLetter(bare, options) ?? containedText(bare, options);
}

/** "B. left", "(b) left", "B: left", or "B left" where that is option B. */
function leadingLetter(answer: string, options: readonly string[]): ParsedChoice | null {
  const match = /^\(?([A-Za-z])(\s*[.):,-]+\s*|\s+)(.+)$/s.exec(answer);
  if (match === null) return null;
  const [, letter, separator, rest] = match;
  const text = normalise(rest);
  const index = letter.toUpperCase().charCodeAt(0) - 65;
  const equal = indicesOf(options, (option) => normalise(option) === text);
  if (equal.includes(index)) return byLetter(letter, options);
  // "A left turn": without punctuation the letter is only one if the option's text follows it.
  if (separator.trim() === '') return null;
  if (equal.length > 0)
    return none(
      `the letter ${letter.toUpperCase()} and the text of option ${optionLetter(equal[0])} disagree`,
    );
  if (NEGATION.test(rest) || lettersIn(rest, options).some((other) => other !== index))
    return none('the answer talks about several options');
  return byLetter(letter, options);
}

/** "The answer is C", "option (C)". */
function namedLetter(answer: string, options: readonly string[]): ParsedChoice | null {
  const letters = lettersIn(answer, options);
  if (letters.length === 0) return null;
  return NEGATION.test(answer)
    ? none('the answer rules options out instead of choosing one')
    : single(letters);
}

/** A sentence around the text of one option; "the red chair" is preferred to "chair" inside it. */
function containedText(answer: string, options: readonly string[]): ParsedChoice {
  const text = ` ${normalise(answer)} `;
  const words = options.map((option) => ` ${normalise(option)} `);
  const contained = indicesOf(words, (option) => option.trim() !== '' && text.includes(option));
  const longest = contained.filter(
    (i) => !contained.some((j) => j !== i && words[j] !== words[i] && words[j].includes(words[i])),
  );
  if (longest.length === 0) return none('the answer matches no option');
  return NEGATION.test(answer)
    ? none('the answer rules options out instead of choosing one')
    : single(longest);
}

/** Options whose letters a sentence names as such; a plain "a" is an article, not option A. */
function lettersIn(answer: string, options: readonly string[]): number[] {
  const named =
    /\b(?:answer|option|choice|letter)s?\b(?:\s+(?:is|would be|must be))?\s*:?\s*["'(]*([A-Z])\b(?!')/gi;
  const alone =
    /(?<![\p{L}\p{N}'])([B-HJ-Z])(?![\p{L}\p{N}'])|\(([A-Z])\)|(?<![\p{L}\p{N}'])(A)(?=[.):,/]|\s+(?:or|and)\b|\s*$)/gu;
  const letters = [...answer.matchAll(named)].map((m) => m[1]);
  for (const match of answer.matchAll(alone)) letters.push(match[1] ?? match[2] ?? match[3]);
  const indices = letters.map((letter) => letter.toUpperCase().charCodeAt(0) - 65);
  return [...new Set(indices)].filter((index) => index < options.length).sort((a, b) => a - b);
}

function byLetter(letter: string, options: readonly string[]): ParsedChoice {
  const index = letter.toUpperCase().charCodeAt(0) - 65;
  return index < options.length ? single([index]) : none(`the letter ${letter.toUpperCase()} is no option`);
}

function single(indices: readonly number[]): ParsedChoice {
  if (indices.length === 1) return { letter: optionLetter(indices[0]), problem: null };
  return none(`the answer could mean the options ${indices.map(optionLetter).join(', ')}`);
}

function none(problem: string): ParsedChoice {
  return { letter: null, problem };
}

function indicesOf<T>(items: readonly T[], matches: (item: T) => boolean): number[] {
  return items.flatMap((item, index) => (matches(item) ? [index] : []));
}

/** LaTeX boxes, Markdown emphasis and quotes that models put around answers. */
function stripMarkup(answer: string): string {
  return answer
    .replace(/\\(?:boxed|text|textbf|mathrm)\{([^{}]*)\}/g, '$1')
    .replace(/[*_`"“”$]/g, '')
    .trim();
}

/** Case, punctuation, spacing and articles aside; signs and decimal points of numbers stay. */
function normalise(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      // Before the punctuation goes: "a chair" begins with an article, "A. chair" does not.
      .replace(/\b(?:a|an|the)\s+/g, '')
      .replace(/(?<!\d)[.,]|[.,](?!\d)|-(?!\d)|(?<=[\p{L}\p{N}])-|[^\p{L}\p{N}\s.,°%+-]/gu, ' ')
      .replace(/\s+/g, ' ')
      .trim()
  );
}
