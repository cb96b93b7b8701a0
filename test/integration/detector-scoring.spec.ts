import { expect, it } from 'vitest';
import { scoreView, StandingObject } from '../../bench/detector/score-view.js';
import { ObservedObject } from '../../src/perception/percept.js';

const told = (name: string, more: Partial<ObservedObject> = {}): ObservedObject => ({
  name,
  colour: 'red',
  bearing: 'left',
  distance: 'far',
  isNew: false,
  score: 0.5,
  ...more,
});
const standing = (name: string, more: Partial<StandingObject> = {}): StandingObject => ({
  name,
  colour: 'red',
  bearingDegrees: -30,
  share: 0.05,
  ...more,
});

it('tells what is real from what is not, and its colour and place apart', () => {
  const view = [standing('chair'), standing('tv', { bearingDegrees: 0 })];
  expect(scoreView([told('chair'), told('tv', { colour: 'blue' }), told('cat')], view, 75)).toEqual({
    told: 3,
    real: 2,
    colour: 1,
    bearing: 1,
    standing: 2,
    found: 2,
  });
});

it('does not want what is only a few pixels wide, or has no name in COCO', () => {
  const view = [standing('chair', { share: 0.005 }), standing('piano'), standing('bed')];
  expect(scoreView([], view, 75)).toMatchObject({ standing: 1, found: 0 });
  expect(scoreView([told('chair')], view, 75)).toMatchObject({ real: 1, standing: 1, found: 0 });
});

it('takes any of several of a name', () => {
  const view = [standing('car', { colour: 'blue' }), standing('car', { bearingDegrees: 30 })];
  expect(scoreView([told('car', { bearing: 'right' })], view, 75)).toMatchObject({ colour: 1, bearing: 1 });
});
