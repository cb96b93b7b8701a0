import { Homography, project } from './homography.js';

/** Corners of a polygon in order, flat: x0, y0, x1, y1, … */
export type Polygon = readonly number[];

/** The picture's outline sent through a homography, or null where a corner falls beyond the horizon. */
export function warpOutline(h: Homography, width: number, height: number): Polygon | null {
  const corners: number[] = [];
  // The outline runs through the outermost pixel centres, as in the paper's code.
  for (const [x, y] of [
    [0, 0],
    [width - 1, 0],
    [width - 1, height - 1],
    [0, height - 1],
  ]) {
    const image = project(h, x, y);
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
    twice += polygon[i] * polygon[j + 1] - polygon[j] * polygon[i + 1];
  }
  return twice / 2;
}

/** Whether every corner turns the way a picture's outline does. */
export function isConvex(polygon: Polygon): boolean {
  const n = polygon.length;
  for (let i = 0; i < n; i += 2) {
    const j = (i + 2) % n;
    const k = (i + 4) % n;
    const cross =
      (polygon[j] - polygon[i]) * (polygon[k + 1] - polygon[j + 1]) -
      (polygon[j + 1] - polygon[i + 1]) * (polygon[k] - polygon[j]);
    if (!(cross > 0)) return false;
  }
  return true;
}

/** Clips a convex polygon to the rectangle from 0,0 to `right`, `bottom` (Sutherland and Hodgman 1974). */
export function clipToRectangle(polygon: Polygon, right: number, bottom: number): Polygon {
  let clipped = clipAgainst(polygon, 0, 0, 1);
  clipped = clipAgainst(clipped, 0, -right, -1);
  clipped = clipAgainst(clipped, 1, 0, 1);
  return clipAgainst(clipped, 1, -bottom, -1);
}

/** Keeps the side where sign · coordinate ≥ limit on one axis. */
function clipAgainst(polygon: Polygon, axis: 0 | 1, limit: number, sign: 1 | -1): Polygon {
  const kept: number[] = [];
  for (let i = 0; i < polygon.length; i += 2) {
    const j = (i + 2) % polygon.length;
    const here = sign * polygon[i + axis] - limit;
    const there = sign * polygon[j + axis] - limit;
    if (here >= 0) kept.push(polygon[i], polygon[i + 1]);
    if (here >= 0 === there >= 0) continue;
    const t = here / (here - there);
    kept.push(
      polygon[i] + t * (polygon[j] - polygon[i]),
      polygon[i + 1] + t * (polygon[j + 1] - polygon[i + 1]),
    );
  }
  return kept;
}

/** Share of the picture's area that its outline, warped by `h`, still covers: the paper's overlap ratio. */
export function overlapRatio(outline: Polygon, width: number, height: number): number {
  const covered = Math.abs(signedArea(clipToRectangle(outline, width - 1, height - 1)));
  return Math.min(1, covered / ((width - 1) * (height - 1)));
}
