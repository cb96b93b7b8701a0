import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { groupAdvantages } from '../advantages.js';
import { LossOptions, RolloutTokens } from '../rollout-tokens.js';
import { LOSS_NAMES, LossName, POLICY_LOSSES } from './policy-losses.js';

/** Made by test/oracles/grpo/trl_losses.py from TRL's own trainer. */
const { cases } = JSON.parse(
  readFileSync(new URL('../../../../test/fixtures/grpo/trl-losses.json', import.meta.url), 'utf8'),
) as { cases: TrlCase[] };

interface TrlCase {
  name: string;
  loss_name: LossName;
  lengths: number[];
  rewards: number[][];
  advantages: number[];
  logprobs: number[];
  old_logprobs: number[];
  sampler_logprobs: number[];
  reference_logprobs: number[] | null;
  kl_weight: number;
  max_importance: number;
  clip_low: number;
  clip_high: number;
  max_completion_tokens: number;
  loss: number;
  token_gradient: number[];
  kl: number | null;
  clipped_low: number | null;
  clipped_high: number | null;
}

function startsOf(lengths: readonly number[]): Int32Array {
  const starts = [0];
  for (const length of lengths) starts.push(starts.at(-1)! + length);
  return Int32Array.from(starts);
}

function tokensOf(given: TrlCase): RolloutTokens {
  return {
    starts: startsOf(given.lengths),
    advantages: Float32Array.from(given.advantages),
    logprobs: Float32Array.from(given.logprobs),
    oldLogprobs: Float32Array.from(given.old_logprobs),
    samplerLogprobs: Float32Array.from(given.sampler_logprobs),
    referenceLogprobs: given.reference_logprobs && Float32Array.from(given.reference_logprobs),
  };
}

function optionsOf(given: TrlCase): LossOptions {
  return {
    clipLow: given.clip_low,
    clipHigh: given.clip_high,
    maxRatio: given.clip_high,
    klWeight: given.kl_weight,
    maxImportance: given.max_importance,
    maxCompletionTokens: given.max_completion_tokens,
  };
}

describe.each(cases.map((each) => [each.name, each] as const))('%s', (_, given) => {
  it('gives the loss and the gradient of TRL', () => {
    const result = POLICY_LOSSES[given.loss_name](tokensOf(given), optionsOf(given));
    expect(result.loss).toBeCloseTo(given.loss, 5);
    expect(Math.max(...given.token_gradient.map(Math.abs))).toBeGreaterThan(1e-3);
    given.token_gradient.forEach((expected, t) => expect(result.tokenGradient[t]).toBeCloseTo(expected, 5));
    if (given.kl !== null) expect(result.kl).toBeCloseTo(given.kl, 5);
    if (given.loss_name !== 'gspo') {
      if (given.clipped_low !== null) expect(result.clippedLow).toBeCloseTo(given.clipped_low, 6);
      expect(result.clippedHigh).toBeCloseTo(given.clipped_high!, 6);
    }
  });

  it('gives the advantages of TRL', () => {
    const ours = groupAdvantages(given.rewards, 'group').flat();
    ours.forEach((advantage, i) => expect(advantage).toBeCloseTo(given.advantages[i]!, 6));
  });
});

describe.each(LOSS_NAMES)('%s', (name) => {
  const given = cases.find(({ loss_name: loss, kl_weight: kl }) => loss === name && kl > 0)!;
  const options = optionsOf(given);

  it('has the gradient that finite differences have', () => {
    const base = tokensOf(given);
    // Float64, and away from the corners of the clip, where there is no derivative.
    const logprobs = Float64Array.from(given.logprobs);
    const at = (values: Float64Array) =>
      POLICY_LOSSES[name]({ ...base, logprobs: values as unknown as Float32Array }, options);
    const { tokenGradient } = at(logprobs);
    const h = 1e-6;
    for (let t = 0; t < logprobs.length; t += 3) {
      const moved = (by: number) => {
        const values = logprobs.slice();
        values[t]! += by;
        return at(values).loss;
      };
      const ratio = Math.exp(logprobs[t]! - given.old_logprobs[t]!);
      const importance = Math.min(
        options.maxImportance || Infinity,
        Math.exp(given.old_logprobs[t]! - given.sampler_logprobs[t]!),
      );
      const numeric = (moved(h) - moved(-h)) / (2 * h);
      // CISPO's weight is a constant to the derivative, though it moves with the value.
      if (name === 'cispo' && ratio < options.maxRatio) continue;
      expect(tokenGradient[t], `token ${t} of ratio ${ratio}, ${importance}`).toBeCloseTo(numeric, 4);
    }
  });

  it('stays finite when the policies have nothing in common', () => {
    const base = tokensOf(given);
    const far = {
      ...base,
      logprobs: base.logprobs.map((_, t) => (t % 2 === 0 ? -1e-4 : -900)),
      oldLogprobs: base.oldLogprobs.map((_, t) => (t % 2 === 0 ? -900 : -1e-4)),
      referenceLogprobs: base.logprobs.map(() => -1e-4),
    };
    const { loss, tokenGradient, ratioMax } = POLICY_LOSSES[name](far, options);
    expect([loss, ratioMax, ...tokenGradient].every(Number.isFinite)).toBe(true);
  });

  it('is nothing for an update without completions', () => {
    const none = new Float32Array(0);
    const empty: RolloutTokens = {
      starts: Int32Array.of(0),
      advantages: none,
      logprobs: none,
      oldLogprobs: none,
      samplerLogprobs: none,
      referenceLogprobs: none,
    };
    expect(POLICY_LOSSES[name](empty, options)).toMatchObject({ loss: 0, kl: 0, clippedLow: 0 });
  });
});
