import { Colour, COLOURS } from '../../src/perception/percept.js';
import { Random } from './random.js';

/** Names are COCO classes, because the local perceiver's detector knows no others. */
const ROOM_NAMES = [
  'chair',
  'couch',
  'potted plant',
  'bed',
  'dining table',
  'tv',
  'laptop',
  'microwave',
  'oven',
  'sink',
  'refrigerator',
  'book',
  'clock',
  'vase',
  'bottle',
  'cup',
  'teddy bear',
  'toilet',
  'suitcase',
  'bowl',
] as const;
const STREET_NAMES = [
  'person',
  'bicycle',
  'car',
  'motorcycle',
  'bus',
  'truck',
  'traffic light',
  'fire hydrant',
  'stop sign',
  'parking meter',
  'bench',
  'bird',
  'cat',
  'dog',
  'backpack',
  'umbrella',
  'handbag',
  'skateboard',
  'train',
  'boat',
] as const;

export interface WorldObject {
  name: string;
  colour: Colour;
  /** East and north of the agent's start, in moves. */
  x: number;
  y: number;
}

export interface World {
  scene: 'room' | 'street';
  objects: WorldObject[];
}

/** Objects around the start; some names stand more than once, in other colours, so that counting means something. */
export function makeWorld(random: Random): World {
  const scene = random.chance(0.5) ? 'room' : 'street';
  const names = random.shuffled<string>(scene === 'room' ? ROOM_NAMES : STREET_NAMES).slice(0, 7);
  const repeated = random.chance(0.4) ? Array.from({ length: random.integer(1, 3) }, () => names[0]!) : [];
  const objects: WorldObject[] = [];
  for (const name of [...names, ...repeated]) {
    const free = COLOURS.filter(
      (colour) => !objects.some((other) => other.name === name && other.colour === colour),
    );
    const angle = random.between(0, 2 * Math.PI);
    const distance = random.between(1.5, 9);
    objects.push({
      name,
      colour: random.pick(free),
      x: distance * Math.cos(angle),
      y: distance * Math.sin(angle),
    });
  }
  return { scene, objects };
}
