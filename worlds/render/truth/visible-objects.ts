import { type CameraLens } from '../camera-lens.js';
import { type Pose } from '../camera-path.js';
import { type PlacedObject } from '../scene/scene-plan.js';
import { type TruthImage } from './truth-image.js';
import { toCamera } from './view-overlap.js';

/** An object with at least a few pixels in the picture, after occlusion. */
export interface VisibleObject {
  id: number;
  /** Of the object's centre from the optical axis, positive to the right. */
  bearingDegrees: number;
  /** From the camera to the object's centre. */
  distanceMetres: number;
  /** Share of the picture's pixels that show it. */
  share: number;
  /** Bounding box of its pixels in the full-size picture: left, top, right, bottom. */
  box: [number, number, number, number];
}

/** About 0.05 % of the picture: smaller glimpses are not worth naming. */
const LEAST_PIXELS = 8;

export function visibleObjects(
  objects: readonly PlacedObject[],
  pose: Pose,
  truth: TruthImage,
  lens: CameraLens,
): VisibleObject[] {
  const seen = new Map<
    number,
    { pixels: number; left: number; top: number; right: number; bottom: number }
  >();
  for (let row = 0; row < truth.height; row += 1) {
    for (let column = 0; column < truth.width; column += 1) {
      const id = truth.packed[(row * truth.width + column) * 2];
      if (id === 0) continue;
      const extent = seen.get(id) ?? { pixels: 0, left: column, top: row, right: column, bottom: row };
      extent.pixels += 1;
      extent.left = Math.min(extent.left, column);
      extent.right = Math.max(extent.right, column);
      extent.bottom = row;
      seen.set(id, extent);
    }
  }
  const scale = lens.width / truth.width;
  return objects.flatMap((object) => {
    const extent = seen.get(object.id);
    if (extent === undefined || extent.pixels < LEAST_PIXELS) return [];
    const [x, y, z] = object.position;
    const [right, up, depth] = toCamera({ ...pose, pitchDegrees: 0 }, [x, y + object.size[1] / 2, z]);
    return [
      {
        id: object.id,
        bearingDegrees: (Math.atan2(right, depth) * 180) / Math.PI,
        distanceMetres: Math.hypot(right, up, depth),
        share: extent.pixels / (truth.width * truth.height),
        box: [
          extent.left * scale,
          extent.top * scale,
          (extent.right + 1) * scale,
          (extent.bottom + 1) * scale,
        ],
      },
    ];
  });
}
