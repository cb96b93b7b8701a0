import { Agreement, pooledF1, pooledSelfF1 } from './agreement.js';
import { median, Timing } from './timing.js';
import { TruthScore } from './truth.js';

/**
 * The figures of the closing line.
 *
 * What was not measured is NaN, or ±Infinity as the least or most of nothing; both are null in JSON.
 *
 * @param missing what is not installed
 * @param real agreements on recordings, which the margins are about
 * @param scenes agreements on scenes with known overlaps, which F1 takes in as well
 */
export function summarize(
  truths: TruthScore[],
  real: Agreement[],
  scenes: Agreement[],
  timings: Timing[],
  missing: string[],
): object {
  const all = [...real, ...scenes];
  const ratios = timings.map((t) => t.ours / t.cv2);
  const ratiosSameSize = timings.map((t) => t.ours / t.cv2SameSize);
  return {
    agreement_margin: marginOverSelf(real),
    never_margin: marginOverNever(real),
    ...(missing.length > 0 && { reason: `not installed: Debian's ${missing.join(', ')}` }),
    agreement_margin_scenes: marginOverSelf(scenes),
    ...keepFigures(all),
    ...truthFigures(truths),
    truth_by_kind: Object.fromEntries(
      (['plane', 'room', 'rendered'] as const).map((kind) => [
        kind,
        truthFigures(truths.filter((t) => kindOf(t.name) === kind)),
      ]),
    ),
    held_out: {
      agreement_margin: marginOverSelf(real.filter((a) => a.heldOut)),
      ...keepFigures(all.filter((a) => a.heldOut)),
      ...truthFigures(truths.filter((t) => t.heldOut)),
    },
    ms_ours: round(median(timings.map((t) => t.ours))),
    ms_cv2: round(median(timings.map((t) => t.cv2))),
    ms_cv2_same_size: round(median(timings.map((t) => t.cv2SameSize))),
    ratio: round(median(ratios)),
    ratio_same_size: round(median(ratiosSameSize)),
    ratio_worst: round(Math.max(...ratios)),
    ratio_same_size_worst: round(Math.max(...ratiosSameSize)),
    frames: sum(all, (a) => a.decisions),
  };
}

export function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** The worst clip's. */
function marginOverSelf(agreements: readonly Agreement[]): number {
  return round(Math.min(...agreements.map((a) => a.ours - a.self)));
}

/** The worst clip's; at most 0 where OpenCV keeps no frame at all. */
function marginOverNever(agreements: readonly Agreement[]): number {
  return round(Math.min(...agreements.map((a) => a.ours - a.never)));
}

function keepFigures(agreements: readonly Agreement[]): object {
  return {
    keep_f1: round(pooledF1(agreements)),
    keep_f1_cv2_self: round(pooledSelfF1(agreements)),
    keeps: sum(agreements, (a) => a.keeps),
  };
}

function truthFigures(truths: readonly TruthScore[]): object {
  const decisions = sum(truths, (t) => t.decisions);
  return {
    truth_error: round(sum(truths, (t) => t.error) / decisions),
    truth_error_cv2: round(sum(truths, (t) => t.errorCv2) / decisions),
    wrong: sum(truths, (t) => t.wrong),
    wrong_cv2: sum(truths, (t) => t.wrongCv2),
    truth_error_found: round(sum(truths, (t) => t.errorFound) / sum(truths, (t) => t.found)),
    truth_error_found_cv2: round(sum(truths, (t) => t.errorFoundCv2) / sum(truths, (t) => t.found)),
    truth_decisions: decisions,
  };
}

/** Scenes made here are named by their kind, rendered clips by their place among the samples. */
function kindOf(name: string): 'plane' | 'room' | 'rendered' {
  return name.includes('/') ? 'rendered' : name.startsWith('plane') ? 'plane' : 'room';
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}
