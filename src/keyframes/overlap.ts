import { determinant, Homography, invert, project } from './homography.js';

/** Corners of a polygon in order, flat: x0, y0, x1, y1, … */
export type Polygon = readonly number[];

/**
 * The picture's outline sent through a homography, or null where a corner falls beyond the horizon. It runs through
 * the outermost pixel centres, as in the paper's code.
 */
export function warpOutline(h: Homography, width: number, height: number): Polygon | null {
  const corners: number[] = [];
  for (let i = 0; i < 8; i += 2) {
    const outline = outlineOf(width, height);
    const image = project(h, outline[i]!, outline[i + 1]!);
    if (image === null) return null;
    corners.push(image[0], image[1]);
  }
  return corners;
}

/** Signed area by the shoelace rule; positive for an outline in the picture's own sense of turning. */
export function signedArea(polygon: Polygon): number {
  let twice = 0;
  for (let i = 0; i < polygon.length; i += 2) {
    const j = (i + 2) % polygon.length;
    twice += polygon[i]! * polygon[j + 1]! - polygon[j]! * polygon[i + 1]!;
  }
  return twice / 2;
}

/**
 * Share of the earlier picture's area that the current view covers: the paper's overlap ratio.
 *
 * The paper clips the current outline, warped, to the earlier picture. A wide turn (over 52° for a view 75° wide) sends
 * corners of that outline beyond the horizon, so here the earlier picture is cut along the four edges of the current
 * view as they run through it, and along its horizon: the same area, and always a convex polygon.
 *
 * @param h current → earlier picture
 */
export function overlapRatio(h: Homography, width: number, height: number): number {
  const [right, bottom] = [width - 1, height - 1];
  const back = invert(h).map((value) => value * Math.sign(determinant(h)));
  // Of a point of the earlier picture: its place in the current view, times its depth, and its depth.
  const [x, y, depth] = [back.subarray(0, 3), back.subarray(3, 6), back.subarray(6, 9)];
  const notRightOf = depth.map((value, i) => right * value - x[i]!);
  const notBelow = depth.map((value, i) => bottom * value - y[i]!);
  let covered = outlineOf(width, height);
  for (const side of [depth, x, notRightOf, y, notBelow]) covered = clipToSide(covered, side);
  return Math.min(1, Math.abs(signedArea(covered)) / (right * bottom));
}

function outlineOf(width: number, height: number): Polygon {
  return [0, 0, width - 1, 0, width - 1, height - 1, 0, height - 1];
}

/** Keeps of a convex polygon what lies where a·x + b·y + c ≥ 0 (Sutherland and Hodgman 1974). @param side [a, b, c] */
export function clipToSide(polygon: Polygon, side: ArrayLike<number>): Polygon {
  const kept: number[] = [];
  const place = (i: number) => side[0]! * polygon[i]! + side[1]! * polygon[i + 1]! + side[2]!;
  for (let i = 0; i < polygon.length; i += 2) {
    const j = (i + 2) % polygon.length;
    const [here, there] = [place(i), place(j)];
    if (here >= 0) kept.push(polygon[i]!, polygon[i + 1]!);
    if (here >= 0 === there >= 0) continue;
    const t = here / (here - there);
    kept.push(
      polygon[i]! + t * (polygon[j]! - polygon[i]!),
      polygon[i + 1]! + t * (polygon[j + 1]! - polygon[i + 1]!),
    );
  }
  return kept;
}
