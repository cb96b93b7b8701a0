import { type Colour } from '../../../src/perception/percept.js';

/** One of the CC0 models in Debian's `sweethome3d-furniture`, with the size that its catalogue gives (metres). */
export interface CatalogEntry {
  name: string;
  model: string;
  size: [number, number, number];
  /** Colours it may be dyed in; the dye replaces the model's own hue and keeps its light and dark. */
  colours: readonly Colour[];
  /** Height of its underside. */
  elevation?: number;
}

const CLOTH = ['red', 'blue', 'green', 'orange', 'purple'] as const;
const WOOD = ['brown', 'white', 'black', 'red'] as const;

/** Furniture that stands with its back to a wall. */
export const WALL_FURNITURE: readonly CatalogEntry[] = [
  { name: 'couch', model: 'couch', size: [2.07, 0.86, 0.88], colours: CLOTH },
  { name: 'couch', model: 'sofa2', size: [1.67, 0.85, 0.75], colours: CLOTH },
  { name: 'bed', model: 'bed2', size: [1.45, 1.08, 2.14], colours: CLOTH },
  { name: 'bed', model: 'bed3', size: [2.02, 1.14, 2.28], colours: CLOTH },
  { name: 'potted plant', model: 'plant', size: [0.82, 1.17, 0.69], colours: ['green'] },
  { name: 'refrigerator', model: 'largeFridge', size: [0.93, 1.84, 0.81], colours: ['white', 'gray', 'red'] },
  { name: 'tv', model: 'led_tv', size: [1.24, 0.81, 0.23], colours: ['black'], elevation: 0.6 },
  { name: 'bookcase', model: 'bookcase', size: [0.92, 1.47, 0.37], colours: WOOD },
  { name: 'chair', model: 'oakChair', size: [0.49, 1.18, 0.61], colours: WOOD },
  { name: 'chair', model: 'armchair2', size: [0.95, 0.78, 0.83], colours: CLOTH },
  { name: 'toilet', model: 'toiletsUnit', size: [0.35, 0.77, 0.69], colours: ['white'] },
  { name: 'piano', model: 'pianoAQueue', size: [1.32, 1.78, 1.7], colours: ['black'] },
  { name: 'teddy bear', model: 'teddyBear', size: [0.66, 0.64, 0.44], colours: ['brown', 'pink'] },
];

/** Furniture that stands free in a room. */
export const CENTRE_FURNITURE: readonly CatalogEntry[] = [
  { name: 'dining table', model: 'table', size: [2.0, 0.74, 0.9], colours: ['brown', 'white'] },
  { name: 'dining table', model: 'oakTable', size: [1.24, 0.74, 1.24], colours: ['brown', 'white'] },
];

export const DINING_CHAIRS: readonly CatalogEntry[] = [
  { name: 'chair', model: 'chair2', size: [0.4, 0.87, 0.49], colours: CLOTH },
  { name: 'chair', model: 'antiqueChair', size: [0.5, 0.98, 0.63], colours: CLOTH },
];

/** Things that stand beside a street; `built:` models are made in the page from simple solids. */
export const STREET_FURNITURE: readonly CatalogEntry[] = [
  { name: 'bench', model: 'bench', size: [1.7, 0.51, 0.46], colours: ['red', 'green', 'brown', 'blue'] },
  { name: 'motorcycle', model: 'motorbike', size: [2.1, 1.4, 0.76], colours: ['red', 'black', 'blue'] },
  {
    name: 'umbrella',
    model: 'umbrella',
    size: [2.23, 2.0, 2.23],
    colours: ['red', 'yellow', 'blue', 'white'],
  },
  { name: 'potted plant', model: 'plant', size: [1.1, 1.6, 0.95], colours: ['green'] },
  { name: 'fire hydrant', model: 'built:hydrant', size: [0.4, 0.8, 0.4], colours: ['red', 'yellow'] },
  { name: 'stop sign', model: 'built:stop-sign', size: [0.75, 2.6, 0.1], colours: ['red'] },
  { name: 'traffic light', model: 'built:traffic-light', size: [0.4, 3.4, 0.4], colours: ['black'] },
  { name: 'tree', model: 'built:tree', size: [3.0, 5.5, 3.0], colours: ['green'] },
];

export const CAR: CatalogEntry = {
  name: 'car',
  model: 'built:car',
  size: [4.3, 1.45, 1.8],
  colours: ['red', 'blue', 'white', 'black', 'yellow', 'green', 'orange', 'gray'],
};

export const TRUCK: CatalogEntry = {
  name: 'truck',
  model: 'built:truck',
  size: [6.1, 2.95, 2.1],
  colours: ['yellow', 'orange', 'blue', 'red'],
};
