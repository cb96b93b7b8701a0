import { expect, it } from 'vitest';
import { contradictionOf } from './contradiction.js';
import { ActionTaken, AgentAction } from './percept.js';

const turn = (side: 'left' | 'right', degrees: number): ActionTaken => ({
  action: `rotate ${side}`,
  degrees,
});
const FORWARD: ActionTaken = { action: 'move forward', degrees: null };

it.each<[string, AgentAction | null, ActionTaken[], ActionTaken | null]>([
  ['a turn to the other side', 'rotate right', [turn('left', 45)], turn('left', 45)],
  ['a move where it turned', 'move forward', [turn('left', 30)], turn('left', 30)],
  ['a move the other way', 'move backward', [FORWARD], FORWARD],
  ['the greatest of what was measured is told', 'move left', [FORWARD, turn('left', 60)], turn('left', 60)],
  ['one of several that were measured', 'move forward', [FORWARD, turn('left', 60)], null],
  ['what was measured', 'rotate left', [turn('left', 15)], null],
  ['no claim', null, [turn('left', 90)], null],
  ['no measurement', 'rotate left', [], null],
])('%s', (_, claimed, measured, certain) => {
  expect(contradictionOf(claimed, measured)).toEqual(
    certain === null ? null : { claimed, measured: certain },
  );
});
