/** Cuts text into words that merges never cross: letters or up to three digits with the space before them, and the rest. */
export const WORD_PATTERN = String.raw` ?\p{L}+| ?\p{N}{1,3}| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;

export interface TrainedBpe {
  /** In order of id: first the 256 bytes, then what was merged. */
  tokens: string[];
  merges: [string, string][];
}

/**
 * Byte-level byte-pair encoding (Sennrich et al. 2016): merges the most frequent pair of neighbours until the
 * vocabulary is full. Ties go to the pair that sorts first, so that the result is the same everywhere.
 */
export function trainBpe(texts: readonly string[], vocabularySize: number): TrainedBpe {
  const spelling = byteSpelling();
  const words = [...countWords(texts)].map(([word, count]) => ({
    symbols: [...new TextEncoder().encode(word)].map((byte) => spelling[byte]!),
    count,
  }));
  const tokens = [...spelling].sort();
  const merges: [string, string][] = [];
  while (tokens.length < vocabularySize) {
    const best = mostFrequentPair(words);
    if (best === null) break;
    merges.push(best);
    tokens.push(best.join(''));
    for (const word of words) word.symbols = merged(word.symbols, best);
  }
  return { tokens, merges };
}

function countWords(texts: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  const pattern = new RegExp(WORD_PATTERN, 'gu');
  for (const text of texts)
    for (const [word] of text.matchAll(pattern)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function mostFrequentPair(words: readonly { symbols: string[]; count: number }[]): [string, string] | null {
  const counts = new Map<string, number>();
  for (const { symbols, count } of words) {
    for (let i = 1; i < symbols.length; i++) {
      const pair = `${symbols[i - 1]}\n${symbols[i]}`;
      counts.set(pair, (counts.get(pair) ?? 0) + count);
    }
  }
  let best: string | null = null;
  for (const [pair, count] of counts) {
    const most = best === null ? 1 : counts.get(best)!;
    if (count > most || (count === most && best !== null && pair < best)) best = pair;
  }
  return best === null ? null : (best.split('\n') as [string, string]);
}

function merged(symbols: string[], [left, right]: [string, string]): string[] {
  const result: string[] = [];
  for (let i = 0; i < symbols.length; i++) {
    if (symbols[i] === left && symbols[i + 1] === right) {
      result.push(left + right);
      i++;
    } else result.push(symbols[i]!);
  }
  return result;
}

/** GPT-2's printable character for each byte. */
function byteSpelling(): string[] {
  const printable = (byte: number) =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(printable(byte) ? byte : next++));
}
