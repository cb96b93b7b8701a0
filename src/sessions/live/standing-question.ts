import { answerOf, Candidate } from '../../reason/reasoner.js';
import { SpatialQuestion } from '../../reasoning/prompt.js';

/** What sampled completions say together. */
export interface Verdict {
  /** One of those that gave the most frequent answer; null when none could be read. */
  candidate: Candidate | null;
  answer: string | number | null;
  /** Share of the most frequent answer among all that were sampled. */
  confidence: number;
  decision: 'answer' | 'wait' | 'silent';
}

/**
 * Whether a standing question is answered now. The confidence is how often the sampled completions agree
 * (self-consistency, Wang et al. 2022, arXiv 2203.11171): a model that reasons its way to different answers lacks
 * something that it may yet see.
 *
 * - `wait`: they agree too little;
 * - `silent`: they agree, on an answer that nobody waits for;
 * - `answer`: they agree, on one that ends the waiting.
 *
 * @param until answers that end the waiting, as letters, option texts, numbers or texts; empty for any
 */
export function judge(
  candidates: readonly Candidate[],
  question: SpatialQuestion,
  until: readonly string[],
  minConfidence: number,
): Verdict {
  const groups = new Map<string, Candidate[]>();
  for (const candidate of candidates) {
    const answer = answerOf(candidate.parsed, question);
    if (answer === null) continue;
    const key = normalised(answer);
    groups.set(key, [...(groups.get(key) ?? []), candidate]);
  }
  const [best] = [...groups.values()].sort((a, b) => b.length - a.length);
  if (best === undefined) return { candidate: null, answer: null, confidence: 0, decision: 'wait' };
  const candidate = best.reduce((a, b) => (likelihood(b) > likelihood(a) ? b : a));
  const answer = answerOf(candidate.parsed, question)!;
  const confidence = best.length / candidates.length;
  const decision =
    confidence < minConfidence ? 'wait' : endsWaiting(answer, question, until) ? 'answer' : 'silent';
  return { candidate, answer, confidence, decision };
}

function endsWaiting(answer: string | number, question: SpatialQuestion, until: readonly string[]): boolean {
  if (until.length === 0) return true;
  const given = normalised(answer);
  return until.some((wanted) => normalised(letterOf(wanted, question)) === given);
}

/** An option's text stands for its letter. */
function letterOf(wanted: string, { answerType, options }: SpatialQuestion): string {
  if (answerType !== 'choice') return wanted;
  const index = options.findIndex((option) => normalised(option) === normalised(wanted));
  return index < 0 ? wanted : String.fromCharCode(65 + index);
}

function normalised(answer: string | number): string {
  if (typeof answer === 'number') return String(answer);
  const text = answer
    .trim()
    .toLowerCase()
    .replace(/[.!]+$/, '');
  return text !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : text;
}

/** Mean log-probability of a completion's tokens; equal for all where the server does not tell. */
function likelihood({ completion: { logprobs } }: Candidate): number {
  if (logprobs === null || logprobs.length === 0) return 0;
  return logprobs.reduce((sum, logprob) => sum + logprob, 0) / logprobs.length;
}
