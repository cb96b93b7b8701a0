import { Bearing, Distance, ObservedObject } from '../percept.js';
import { COCO_CLASSES } from './coco-classes.js';
import { colourOf } from './colour.js';
import { Detection } from './peaks.js';

export interface Picture {
  /** [height, width, 3] */
  rgb: Uint8Array;
  width: number;
  height: number;
}

/** Objects told of one view at most, nearest first: more would crowd the prompt of a small model. */
const MAX_OBJECTS = 5;
/** Half of the third of the view that counts as ahead, in degrees, for any field of view; the simulator's number. */
const AHEAD_SHARE = 1 / 6;
/** An object that is this high or wide fills enough of the view to be near. */
const NEAR_HEIGHT = 0.45;
const NEAR_WIDTH = 0.5;

/**
 * Detections as the agent would tell them, and what was seen in the previous keyframe and is not seen now.
 * Objects are the same when their name and, where both are known, their colour agree.
 */
export function describeObjects(
  detections: readonly Detection[],
  picture: Picture,
  hfovDeg: number,
  previous: readonly ObservedObject[] | null,
): { objects: ObservedObject[]; gone: string[] } {
  const told = detections
    .map((box) => describe(box, picture, hfovDeg))
    .filter(
      (object, i, all) =>
        all.findIndex((other) => nameOf(other) === nameOf(object) && other.bearing === object.bearing) === i,
    )
    .sort(
      (a, b) =>
        Number(a.distance === 'far') - Number(b.distance === 'far') || (b.score ?? 0) - (a.score ?? 0),
    )
    .slice(0, MAX_OBJECTS);
  const objects = told.map((object) => ({
    ...object,
    isNew: previous !== null && !previous.some((before) => isSame(before, object)),
  }));
  const gone = (previous ?? [])
    .filter((before) => !objects.some((object) => isSame(before, object)))
    .map(nameOf);
  return { objects, gone: [...new Set(gone)] };
}

function describe(box: Detection, { rgb, width, height }: Picture, hfovDeg: number): ObservedObject {
  return {
    name: COCO_CLASSES[box.classIndex]!,
    colour: colourOf(rgb, width, height, box),
    bearing: bearingOf((box.left + box.right) / 2, hfovDeg),
    distance: distanceOf(box),
    isNew: false,
    score: Math.round(box.score * 100) / 100,
  };
}

/** From the horizontal position in the picture, 0–1, through the pinhole camera to an angle. */
export function bearingOf(position: number, hfovDeg: number): Bearing {
  const half = (hfovDeg * Math.PI) / 360;
  const angle = (Math.atan((2 * position - 1) * Math.tan(half)) * 180) / Math.PI;
  return Math.abs(angle) <= hfovDeg * AHEAD_SHARE ? 'ahead' : angle < 0 ? 'left' : 'right';
}

export function distanceOf({ left, top, right, bottom }: Detection): Distance {
  return bottom - top >= NEAR_HEIGHT || right - left >= NEAR_WIDTH ? 'near' : 'far';
}

function isSame(a: ObservedObject, b: ObservedObject): boolean {
  return a.name === b.name && (a.colour === null || b.colour === null || a.colour === b.colour);
}

function nameOf({ name, colour }: ObservedObject): string {
  return colour === null ? name : `${colour} ${name}`;
}
