import { describe, expect, it } from 'vitest';
import { ObservedObject } from '../percept.js';
import { COCO_CLASSES } from './coco-classes.js';
import { nameColour } from './colour.js';
import { CLASS_COUNT, MAP_SIDE } from './convert-detector.js';
import { bearingOf, describeObjects, distanceOf } from './describe-objects.js';
import { Detection, findPeaks, overlap } from './peaks.js';
import { readBoxes } from './read-boxes.js';

const AREA = MAP_SIDE * MAP_SIDE;

/** Maps with the given peaks: class, cell x and y, score, and half a side of the box in pixels of the input. */
function maps(peaks: [classIndex: number, x: number, y: number, score: number, half: number][]) {
  const heat = new Float32Array(CLASS_COUNT * AREA);
  const sides = new Float32Array(4 * AREA);
  for (const [classIndex, x, y, score, half] of peaks) {
    heat[classIndex * AREA + y * MAP_SIDE + x] = score;
    for (let side = 0; side < 4; side++) sides[side * AREA + y * MAP_SIDE + x] = half;
  }
  return { heat, sides };
}

describe('findPeaks', () => {
  it('gives boxes in shares of the picture, best first', () => {
    const { heat, sides } = maps([[56, 64, 32, 0.6, 64], [0, 96, 96, 0.9, 32]]); // prettier-ignore
    expect(findPeaks(heat, sides, 0.3)).toMatchObject([
      { classIndex: 0, left: 0.6875, top: 0.6875, right: 0.8125, bottom: 0.8125 },
      { classIndex: 56, left: 0.375, top: 0.125, right: 0.625, bottom: 0.375 },
    ]);
  });

  it('takes only the top of a hill, and what scores enough', () => {
    const { heat, sides } = maps([[2, 10, 10, 0.8, 20], [2, 11, 10, 0.7, 20], [2, 80, 80, 0.2, 20]]); // prettier-ignore
    expect(findPeaks(heat, sides, 0.3).map(({ score }) => Math.round(score * 10))).toEqual([8]);
  });

  it('takes two boxes of a class that overlap for one, and of two classes for two', () => {
    const { heat, sides } = maps([[2, 40, 40, 0.8, 60], [2, 44, 40, 0.7, 60], [7, 44, 40, 0.6, 60]]); // prettier-ignore
    expect(findPeaks(heat, sides, 0.3).map(({ classIndex }) => classIndex)).toEqual([2, 7]);
  });

  it('keeps boxes inside the picture', () => {
    const { heat, sides } = maps([[0, 0, 127, 0.9, 400]]);
    expect(findPeaks(heat, sides, 0.3)[0]).toMatchObject({ left: 0, bottom: 1 });
  });
});

it('measures overlap as the share of the union', () => {
  const box = (left: number, right: number): Detection => ({
    classIndex: 0,
    score: 1,
    left,
    right,
    top: 0,
    bottom: 1,
  });
  expect(overlap(box(0, 0.5), box(0.25, 0.75))).toBeCloseTo(1 / 3, 9);
  expect(overlap(box(0, 0.5), box(0.5, 1))).toBe(0);
});

it('reads the boxes of detectors that pick them', () => {
  const outputs = {
    boxes: [0, 0, 320, 160, 160, 80, 900, 320, 0, 0, 10, 10],
    scores: [0.4, 0.8, 0.1],
    labels: [56n, 0n, 0n],
  };
  expect(readBoxes(outputs, { width: 640, height: 320 }, 0.3)).toEqual([
    { classIndex: 0, score: 0.8, left: 0.25, top: 0.25, right: 1, bottom: 1 },
    { classIndex: 56, score: 0.4, left: 0, top: 0, right: 0.5, bottom: 0.5 },
  ]);
});

describe('nameColour', () => {
  it.each<[string, [number, number, number]]>([
    ['red', [200, 30, 30]], ['orange', [240, 140, 30]], ['yellow', [230, 220, 40]], ['green', [40, 140, 60]],
    ['blue', [40, 80, 200]], ['purple', [120, 50, 160]], ['pink', [240, 150, 180]], ['brown', [120, 75, 40]],
    ['black', [20, 22, 18]], ['white', [240, 238, 235]], ['gray', [128, 130, 127]],
  ])('%s', (name, [r, g, b]) => {
    expect(nameColour(r, g, b)).toBe(name);
  }); // prettier-ignore
});

describe('describeObjects', () => {
  const [WIDTH, HEIGHT] = [64, 48];
  const picture = (rgb: [number, number, number]) => ({
    rgb: Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => rgb[i % 3]!),
    width: WIDTH,
    height: HEIGHT,
  });
  const box = (name: string, left: number, right: number, height = 0.2, score = 0.8): Detection => ({
    classIndex: COCO_CLASSES.indexOf(name as (typeof COCO_CLASSES)[number]),
    score,
    left,
    right,
    top: 0.4,
    bottom: 0.4 + height,
  });
  const tell = (boxes: Detection[], previous: ObservedObject[] | null = null) =>
    describeObjects(boxes, picture([200, 30, 30]), 75, previous);

  it('tells name, colour, place and distance', () => {
    const { objects } = tell([box('chair', 0.05, 0.2), box('couch', 0.4, 0.6, 0.5), box('tv', 0.8, 0.95)]);
    expect(objects.map(({ name, colour, bearing, distance }) => [name, colour, bearing, distance])).toEqual([
      ['couch', 'red', 'ahead', 'near'],
      ['chair', 'red', 'left', 'far'],
      ['tv', 'red', 'right', 'far'],
    ]);
  });

  it('marks what is new, and names what is gone', () => {
    const before = tell([box('chair', 0.1, 0.2), box('tv', 0.7, 0.8)]).objects;
    const { objects, gone } = tell([box('chair', 0.5, 0.6), box('cat', 0.1, 0.2)], before);
    expect(objects.map(({ name, isNew }) => [name, isNew])).toEqual([['chair', false], ['cat', true]]); // prettier-ignore
    expect(gone).toEqual(['red tv']);
  });

  it('marks nothing as new in the first view', () => {
    expect(tell([box('chair', 0.1, 0.2)]).objects[0]!.isNew).toBe(false);
  });

  it('tells at most five, one of a name and place', () => {
    const row = Array.from({ length: 7 }, (_, i) => box(COCO_CLASSES[i]!, 0.1, 0.2));
    expect(tell(row).objects).toHaveLength(5);
    expect(tell([box('chair', 0.1, 0.2), box('chair', 0.12, 0.22)]).objects).toHaveLength(1);
  });

  it('takes thirds of the field of view, through the lens', () => {
    expect([0.02, 0.33, 0.5, 0.67, 0.98].map((x) => bearingOf(x, 75))).toEqual([
      'left',
      'left',
      'ahead',
      'right',
      'right',
    ]);
    expect([0.36, 0.64].map((x) => bearingOf(x, 75))).toEqual(['ahead', 'ahead']);
  });

  it('takes what fills the view for near', () => {
    expect(distanceOf(box('tv', 0.1, 0.65))).toBe('near');
    expect(distanceOf(box('tv', 0.1, 0.2, 0.46))).toBe('near');
    expect(distanceOf(box('tv', 0.1, 0.5, 0.4))).toBe('far');
  });
});
