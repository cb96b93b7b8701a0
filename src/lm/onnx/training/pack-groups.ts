import { TokenBatch } from './training-session.js';

/** A prompt with completions that were sampled for it. */
export interface TokenGroup {
  prompt: readonly number[];
  completions: readonly (readonly number[])[];
}

const UNSEEN = -1e9;

/**
 * Lays each group into one row, its prompt once and its completions after it, so that the prompt is worked on once and
 * not once per completion. Attention keeps the completions apart, and positions count on from the prompt for each, so
 * that log-probabilities and gradients are those of separate sequences.
 *
 * A row is `p₁ … pₙ₋₁`, then for each completion `pₙ c₁ … cₘ₋₁`: the last token of the prompt stands before each, since
 * every position predicts one token only. The tokens that count are those of the completions, in order.
 */
export function packGroups(groups: readonly TokenGroup[]): TokenBatch {
  const lengths = groups.map(
    ({ prompt, completions }) =>
      prompt.length - 1 + completions.reduce((sum, completion) => sum + completion.length, 0),
  );
  const length = Math.max(1, ...lengths);
  const size = groups.length * length;
  const inputIds = new Int32Array(size);
  const positions = new Int32Array(size);
  const bias = new Float32Array(size * length).fill(UNSEEN);
  const rows: number[] = [];
  const targets: number[] = [];
  groups.forEach(({ prompt, completions }, group) => {
    const base = group * length;
    const shared = prompt.length - 1;
    const see = (row: number, from: number, to: number) =>
      bias.fill(0, (base + row) * length + from, (base + row) * length + to + 1);
    for (let i = 0; i < shared; i++) {
      inputIds[base + i] = prompt[i]!;
      positions[base + i] = i;
      see(i, 0, i);
    }
    let at = shared;
    for (const completion of completions) {
      const start = at;
      for (let i = 0; i < completion.length; i++, at++) {
        inputIds[base + at] = i === 0 ? prompt[shared]! : completion[i - 1]!;
        positions[base + at] = shared + i;
        see(at, 0, shared - 1);
        see(at, start, at);
        rows.push(base + at);
        targets.push(completion[i]!);
      }
    }
    for (; at < length; at++) see(at, at, at); // padding sees itself, so that its softmax is no quotient of zeros
  });
  return {
    inputIds,
    batch: groups.length,
    length,
    rows: Int32Array.from(rows),
    targets: Int32Array.from(targets),
    positions,
    attentionBias: bias,
  };
}
