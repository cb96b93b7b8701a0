import { AgentAction, Percept } from '../../src/perception/percept.js';
import { wordActions } from '../../src/perception/wording.js';
import { Asker, choiceQuestion, numberQuestion } from './question.js';

/** Adds up one kind of movement: each frame's action word for word, with the sum so far behind it. */
function runningSum(
  percepts: readonly Percept[],
  up: AgentAction,
  down: AgentAction,
): { steps: string; sum: number; count: number } {
  let sum = 0;
  let count = 0;
  const steps: string[] = [];
  for (let frame = 1; frame < percepts.length; frame++) {
    const { actions } = percepts[frame]!;
    for (const { action } of actions) {
      if (action !== up && action !== down) continue;
      sum += action === up ? 1 : -1;
      count++;
    }
    steps.push(`Frame ${frame}: After ${wordActions(actions)} = ${sum}.`);
  }
  return { steps: steps.join(' '), sum, count };
}

const DISPLACEMENT_TEXTS = [
  'How many moves forward did I make, less the moves backward?',
  'How far forward did I go in all, in moves?',
  'How many moves forward have I made in all?',
];

export const askDisplacement: Asker = ({ percepts }, random) => {
  const { steps, sum, count } = runningSum(percepts, 'move forward', 'move backward');
  if (count === 0 && random.chance(0.7)) return null;
  return numberQuestion('net_displacement', random.pick(DISPLACEMENT_TEXTS), sum, steps);
};

const HEIGHT_TEXTS = [
  'Am I higher or lower now than at the start?',
  'How has my height changed?',
  'Compared with the start, how high am I now?',
];

export const askHeight: Asker = ({ world, percepts }, random) => {
  if (world.scene !== 'street') return null;
  const { steps, sum, count } = runningSum(percepts, 'move upward', 'move downward');
  if (count === 0 && random.chance(0.6)) return null;
  const answer = sum > 0 ? 'higher' : sum < 0 ? 'lower' : 'the same';
  const others = ['higher', 'lower', 'the same'].filter((option) => option !== answer);
  return choiceQuestion(
    'height_change',
    random.pick(HEIGHT_TEXTS),
    [answer, ...others],
    `${steps} So`,
    random,
  );
};
