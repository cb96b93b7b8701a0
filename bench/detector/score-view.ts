import { COCO_CLASSES } from '../../src/perception/local/coco-classes.js';
import { Bearing, ObservedObject } from '../../src/perception/percept.js';

/** An object that stands in a view, as the renderer knows it. */
export interface StandingObject {
  name: string;
  colour: string;
  /** Negative to the left. */
  bearingDegrees: number;
  /** Share of the picture's pixels. */
  share: number;
}

/** Of what was told: how many there are, and of those the ones told with the right colour and place. */
export interface ViewScore {
  told: number;
  real: number;
  colour: number;
  bearing: number;
  /** Of what fills at least `LARGE_SHARE` of the picture and has a name in COCO: how many there are, and were told. */
  standing: number;
  found: number;
}

/** Smaller things are a few pixels wide for the detector. */
export const LARGE_SHARE = 0.01;

/** What was told of one view against what stands there. An object is real when one of its name is in the view. */
export function scoreView(
  told: readonly ObservedObject[],
  standing: readonly StandingObject[],
  hfovDegrees: number,
): ViewScore {
  const score = { told: told.length, real: 0, colour: 0, bearing: 0, standing: 0, found: 0 };
  for (const { name, colour, bearing } of told) {
    const same = standing.filter((object) => object.name === name);
    if (same.length > 0) score.real++;
    if (same.some((object) => object.colour === colour)) score.colour++;
    if (same.some((object) => thirdOf(object.bearingDegrees, hfovDegrees) === bearing)) score.bearing++;
  }
  for (const { name, share } of standing) {
    if (share < LARGE_SHARE || !COCO_CLASSES.includes(name)) continue;
    score.standing++;
    if (told.some((object) => object.name === name)) score.found++;
  }
  return score;
}

function thirdOf(bearingDegrees: number, hfovDegrees: number): Bearing {
  if (Math.abs(bearingDegrees) <= hfovDegrees / 6) return 'ahead';
  return bearingDegrees < 0 ? 'left' : 'right';
}
