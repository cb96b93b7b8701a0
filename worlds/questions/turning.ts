import { ActionTaken } from '../../src/perception/percept.js';
import { wordActions } from '../../src/perception/wording.js';
import { wrapDegrees } from '../simulator/pose.js';
import { Episode } from '../simulator/walk.js';
import { Asker, choiceQuestion } from './question.js';

/** `left 45`, `right 90` or `0`. */
export function wordTurn(degrees: number): string {
  return degrees === 0 ? '0' : degrees > 0 ? `left ${degrees}` : `right ${-degrees}`;
}

function signedTurn({ action, degrees }: ActionTaken): number {
  return action === 'rotate left' ? degrees! : action === 'rotate right' ? -degrees! : 0;
}

/**
 * Adds up the turns after percept `from`. Each frame's action is copied word for word with the sum so far behind it,
 * wrapped to a half circle on either side: copying is what a small model does best, and a skipped frame shows.
 */
export function runningTurns(
  { percepts }: Pick<Episode, 'percepts'>,
  from = 0,
): { steps: string; netDeg: number; count: number } {
  let netDeg = 0;
  let count = 0;
  const steps: string[] = [];
  for (let frame = from + 1; frame < percepts.length; frame++) {
    const { actions } = percepts[frame]!;
    const turns = actions.map(signedTurn).filter((turn) => turn !== 0);
    count += turns.length;
    netDeg = turns.reduce((sum, turn) => wrapDegrees(sum + turn), netDeg);
    steps.push(`Frame ${frame}: After ${wordActions(actions)} = ${wordTurn(netDeg)}.`);
  }
  return { steps: steps.join(' '), netDeg, count };
}

const TURN_TEXTS = [
  'Which way did I turn?',
  'Which way have I turned in all?',
  'In which direction did I turn overall?',
  'Did I turn left or right overall?',
];

export const askTurnDirection: Asker = (episode, random) => {
  const { steps, netDeg, count } = runningTurns(episode);
  if (count === 0 || netDeg === 180) return null;
  const answer = netDeg === 0 ? 'not at all' : netDeg > 0 ? 'left' : 'right';
  const others = ['left', 'right', 'not at all'].filter((option) => option !== answer);
  const shown =
    netDeg !== 0 && random.chance(0.4) ? others.filter((option) => option !== 'not at all') : others;
  return choiceQuestion('turn_direction', random.pick(TURN_TEXTS), [answer, ...shown], `${steps} So`, random);
};

const HEADING_TEXTS = [
  'Which way am I facing now, compared with the start?',
  'Where do I look now, compared with my first view?',
  'How do I face now, relative to where I faced at first?',
];
const HEADINGS = ['the same way', 'to the left', 'to the right', 'the opposite way'];

export const askHeading: Asker = (episode, random) => {
  const { steps, netDeg, count } = runningTurns(episode);
  const size = Math.abs(netDeg);
  if (count === 0 || size === 45 || size === 135) return null; // between two answers
  const answer =
    size < 45
      ? 'the same way'
      : size > 135
        ? 'the opposite way'
        : netDeg > 0
          ? 'to the left'
          : 'to the right';
  const others = HEADINGS.filter((option) => option !== answer);
  return choiceQuestion(
    'heading_after_moves',
    random.pick(HEADING_TEXTS),
    [answer, ...others],
    `${steps} So`,
    random,
  );
};
