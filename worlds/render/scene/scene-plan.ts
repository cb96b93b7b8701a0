import { type Colour } from '../../../src/perception/percept.js';

/** Textures painted in the page, each from a seed. All are rich in corners: plain surfaces starve ORB. */
export type Paint =
  | 'wallpaper'
  | 'brick'
  | 'planks'
  | 'tiles'
  | 'rug'
  | 'art'
  | 'ceiling'
  | 'wood'
  | 'facade'
  | 'roof'
  | 'asphalt'
  | 'pavement'
  | 'grass';

/** A textured box: a wall, a floor, a rug, a picture, a building. Metres. */
export interface Panel {
  paint: Paint;
  seed: number;
  centre: [number, number, number];
  size: [number, number, number];
}

/** A thing worth naming. Its model is a furniture model, or `built:` and the name of a hand-made one. */
export interface PlacedObject {
  /** From 1; 0 is everything that is not an object. */
  id: number;
  /** COCO class name where there is one. */
  name: string;
  colour: Colour;
  model: string;
  /** Width, height and depth before the turn, metres. */
  size: [number, number, number];
  /** Centre of the footprint; y is the underside. */
  position: [number, number, number];
  /** Turn about the vertical, counter-clockwise seen from above; at 0 the front faces +z. */
  yawDegrees: number;
}

/** A whole scene as plain data: made in Node, drawn in the page. */
export interface ScenePlan {
  kind: 'room' | 'street';
  seed: number;
  panels: Panel[];
  objects: PlacedObject[];
}
