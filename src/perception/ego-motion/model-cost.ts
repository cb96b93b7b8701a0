/** How a model of the movement ties a match down, and how many numbers it takes to tell. */
export interface ModelShape {
  /** 2 when it predicts where the point lands, 1 when only on which line. */
  tied: 1 | 2;
  parameters: number;
}

/** Size of the picture in which a false match lands anywhere, and the length of line on which a true one does, in σ. */
const PICTURE = { width: 400, height: 225 };
const LINE = 100;

/**
 * Description length of the matches, in the manner of Torr's criterion (1999) but with one price for a false match under
 * every model: −2 log-likelihood where a false match lands anywhere, a true one about the predicted point, or about the
 * line and anywhere along it. So a turn, which says where points land, and a move, which only says on which line, are
 * compared on one scale, and chance agreement with lines is not taken for a move.
 *
 * @param squares [n] squared errors in pixels
 * @param sigmaPx standard deviation of a good match
 */
export function modelCost(squares: Float64Array, sigmaPx: number, { tied, parameters }: ModelShape): number {
  const anywhere = 2 * Math.log(PICTURE.width * PICTURE.height);
  const here = tied * Math.log(2 * Math.PI) + (tied === 1 ? 2 * Math.log(LINE) : 0);
  let cost = parameters * Math.log(4 * squares.length);
  for (const square of squares) cost += Math.min(here + square / (sigmaPx * sigmaPx), anywhere);
  return cost;
}
