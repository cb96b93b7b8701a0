import { epipolarTerm } from './residuals.js';
import { RayPairs, Rotation } from './rays.js';
import { cross, Direction, normalised } from './translation.js';

/** A turn, and then a move in a direction: all that matches can tell, since sizes and distances trade for each other. */
export interface RelativePose {
  rotation: Rotation;
  /** In the later camera's axes. */
  direction: Direction;
}

const ROUNDS = 10;
const PARAMETERS = 5;
const DAMPING = 1e-6;

/**
 * Improves a turn and a move together by Gauss-Newton on the distances to the epipolar lines, over the pairs that lie
 * within the tolerance, which are chosen anew each round.
 */
export function refinePose(rays: RayPairs, start: RelativePose, tolerancePx: number): RelativePose {
  let pose = start;
  for (let round = 0; round < ROUNDS; round++) {
    // Wide at first: a start that is some degrees off has few pairs within the last tolerance.
    const reach = tolerancePx * (round < ROUNDS / 2 ? 3 : 1);
    const better = improve(rays, pose, reach);
    if (better === null) break;
    pose = better;
  }
  return pose;
}

function improve(rays: RayPairs, { rotation, direction }: RelativePose, reach: number): RelativePose | null {
  const [s, t] = tangents(direction);
  const normal = new Float64Array(PARAMETERS * (PARAMETERS + 1));
  for (let i = 0; i < rays.count; i++) {
    const term = epipolarTerm(rays, i, rotation, direction);
    if (Math.abs(term.residual) > reach || term.backwardPx > reach) continue;
    // e = q · (c × a): its derivatives by a small turn of a and by a change of c.
    const byTurn = cross(term.turned, cross(term.seen, direction));
    const byMove = cross(term.turned, term.seen);
    const row = [byTurn[0], byTurn[1], byTurn[2], dot(byMove, s), dot(byMove, t)];
    for (let a = 0; a < PARAMETERS; a++) {
      for (let b = 0; b < PARAMETERS; b++)
        normal[a * (PARAMETERS + 1) + b]! += row[a]! * row[b]! * term.scale * term.scale;
      normal[a * (PARAMETERS + 1) + PARAMETERS]! -= row[a]! * term.residual * term.scale;
    }
  }
  const step = solve(normal);
  if (step === null) return null;
  const moved = normalised([
    direction[0] + step[3]! * s[0] + step[4]! * t[0],
    direction[1] + step[3]! * s[1] + step[4]! * t[1],
    direction[2] + step[3]! * s[2] + step[4]! * t[2],
  ]);
  return moved === null
    ? null
    : { rotation: turnBy([step[0]!, step[1]!, step[2]!], rotation), direction: moved };
}

const dot = (a: Direction, b: Direction): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** Two directions square to the given one and to each other. */
function tangents(c: Direction): [Direction, Direction] {
  const aside: Direction = Math.abs(c[2]) < 0.7 ? [0, 0, 1] : [1, 0, 0];
  const s = normalised(cross(c, aside))!;
  return [s, cross(c, s)];
}

/** exp(ω) · R (Rodrigues). */
function turnBy(omega: Direction, r: Rotation): Rotation {
  const angle = Math.hypot(...omega);
  if (angle < 1e-12) return r;
  const [x, y, z] = omega.map((value) => value / angle) as [number, number, number];
  const [c, s, k] = [Math.cos(angle), Math.sin(angle), 1 - Math.cos(angle)];
  const turn = [
    c + x * x * k, x * y * k - z * s, x * z * k + y * s,
    y * x * k + z * s, c + y * y * k, y * z * k - x * s,
    z * x * k - y * s, z * y * k + x * s, c + z * z * k,
  ]; // prettier-ignore
  return Array.from({ length: 9 }, (_, at) => {
    const [row, column] = [3 * Math.floor(at / 3), at % 3];
    return turn[row]! * r[column]! + turn[row + 1]! * r[column + 3]! + turn[row + 2]! * r[column + 6]!;
  });
}

/** Gauss elimination on the symmetric [5, 6] system; null when singular. */
function solve(m: Float64Array): Float64Array | null {
  const width = PARAMETERS + 1;
  for (let i = 0; i < PARAMETERS; i++) m[i * width + i]! += DAMPING * (1 + m[i * width + i]!);
  for (let column = 0; column < PARAMETERS; column++) {
    const pivot = m[column * width + column]!;
    if (!(pivot > 1e-12)) return null;
    for (let row = 0; row < PARAMETERS; row++) {
      if (row === column) continue;
      const factor = m[row * width + column]! / pivot;
      for (let j = column; j < width; j++) m[row * width + j]! -= factor * m[column * width + j]!;
    }
  }
  return Float64Array.from({ length: PARAMETERS }, (_, i) => m[i * width + PARAMETERS]! / m[i * width + i]!);
}
