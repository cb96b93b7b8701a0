import { describe, expect, it } from 'vitest';
import { scorePair } from '../../bench/egomotion/score-pair.js';
import { TrueAction, trueActionsBetween } from '../../bench/egomotion/true-actions.js';
import { ActionTaken, AgentAction } from '../../src/perception/percept.js';
import { TimedAction } from '../../worlds/render/camera-path.js';

const told = (action: AgentAction, degrees: number | null = null): ActionTaken => ({ action, degrees });
const real = (action: AgentAction, degrees: number | null = null, durationMs = 1000): TrueAction => ({
  action,
  degrees,
  durationMs,
});

describe('trueActionsBetween', () => {
  const timed = (action: TimedAction['action'], startMs: number, endMs: number, degrees: number | null) => ({
    action,
    startMs,
    endMs,
    degrees,
    metres: null,
  });
  const actions: TimedAction[] = [
    timed('move forward', 0, 1500, null),
    timed('rotate left', 1500, 3500, 60),
    timed('stay', 3500, 4000, null),
    timed('rotate left', 4000, 5000, 30),
    timed('rotate right', 5000, 7000, 100),
  ];

  it('cuts actions at the keyframes, degrees in proportion', () => {
    expect(trueActionsBetween(actions, 1000, 2500)).toEqual([
      real('move forward', null, 500),
      real('rotate left', 30, 1000),
    ]);
  });

  it('joins what goes on after standing still', () => {
    expect(trueActionsBetween(actions, 1500, 5000)).toEqual([real('rotate left', 90, 3000)]);
  });

  it('lets a turn there and back add up with its sign', () => {
    expect(trueActionsBetween(actions, 4000, 7000)).toEqual([real('rotate right', 70, 3000)]);
  });
});

describe('scorePair', () => {
  it('wants the direction and the angle within fifteen degrees', () => {
    const turns = (degrees: number, action: AgentAction = 'rotate left') =>
      scorePair([told(action, degrees)], [real('rotate left', 44)]).turns;
    expect(turns(45)).toEqual({ happened: 1, right: 1, invented: 0 });
    expect(turns(30)).toEqual({ happened: 1, right: 1, invented: 0 });
    expect(turns(60)).toEqual({ happened: 1, right: 0, invented: 0 });
    expect(turns(45, 'rotate right')).toEqual({ happened: 1, right: 0, invented: 1 });
  });

  it('wants moves in their order among the turns', () => {
    const happened = [real('move forward'), real('rotate left', 30), real('move left')];
    const inOrder = [told('move forward'), told('rotate left', 30), told('move left')];
    expect(scorePair(inOrder, happened).moves.right).toBe(2);
    const { turns, moves } = scorePair([inOrder[1]!, inOrder[0]!, inOrder[2]!], happened);
    expect(turns.right + moves.right).toBe(2);
  });

  it('neither asks for nor punishes what is too small to be told', () => {
    const happened = [real('move forward', null, 400), real('rotate left', 7)];
    const none = { happened: 0, right: 0, invented: 0 };
    expect(scorePair([], happened)).toEqual({ turns: none, tilts: none, moves: none });
    expect(scorePair([told('move forward'), told('rotate left', 15)], happened)).toEqual({
      turns: none,
      tilts: none,
      moves: none,
    });
  });

  it('counts what never happened', () => {
    expect(scorePair([told('move forward'), told('tilt upward', 15)], [])).toEqual({
      turns: { happened: 0, right: 0, invented: 0 },
      tilts: { happened: 0, right: 0, invented: 1 },
      moves: { happened: 0, right: 0, invented: 1 },
    });
  });
});
