/**
 * A number as models write it: sign, thousands commas, decimals, exponent. A sign after a digit is a dash ("2-3"), and
 * digits inside a word ("m2", "A4") are none. A comma that groups no thousands ("1,5") could mean two things, so
 * such digits are none either.
 */
const NUMBER =
  /(?<![\p{L}\p{N}.,_])(?:[-+−](?=[\d.]))?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?(?![.,]?\d)/gu;

/** The one number in an answer; units and words around it are passed over. */
export function parseNumber(answer: string): { value: number | null; problem: string | null } {
  const values = [...answer.matchAll(NUMBER)].map(([text]) =>
    Number(text.replaceAll(',', '').replace('−', '-')),
  );
  const distinct = [...new Set(values)];
  if (distinct.length === 0) return { value: null, problem: 'the answer holds no number' };
  if (distinct.length > 1)
    return { value: null, problem: `the answer holds several numbers: ${distinct.join(', ')}` };
  if (!Number.isFinite(distinct[0])) return { value: null, problem: 'the number is too large' };
  return { value: distinct[0], problem: null };
}
