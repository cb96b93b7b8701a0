import { seededRandom, type SeededRandom } from '../seeded-random.js';
import { footprint } from './free-space.js';
import { CENTRE_FURNITURE, type CatalogEntry, DINING_CHAIRS, WALL_FURNITURE } from './furniture-catalog.js';
import { type Paint, type PlacedObject, type ScenePlan } from './scene-plan.js';

/** A room's floor in the world, metres. */
interface Bounds {
  left: number;
  right: number;
  front: number;
  back: number;
}

type Side = 'north' | 'west' | 'south' | 'east';
/** Turn that lets furniture with its back to that wall face the room. */
const FACING: Record<Side, number> = { north: 0, west: 90, south: 180, east: -90 };
const CEILING = 2.7;
const DOOR_WIDTH = 1.8;
const DOOR_HEIGHT = 2.2;

function addPanel(
  plan: ScenePlan,
  random: SeededRandom,
  paint: Paint,
  centre: [number, number, number],
  size: [number, number, number],
): void {
  plan.panels.push({ paint, seed: random.below(1e9), centre, size });
}

function addWall(
  plan: ScenePlan,
  random: SeededRandom,
  paint: Paint,
  bounds: Bounds,
  side: Side,
  door: boolean,
): void {
  const { left, right, front, back } = bounds;
  const alongX = side === 'north' || side === 'south';
  const length = alongX ? right - left : front - back;
  const middle = alongX ? (left + right) / 2 : (front + back) / 2;
  const across = { north: back, south: front, west: left, east: right }[side];
  const piece = (from: number, to: number, low: number, high: number): void => {
    const centre = middle + (from + to) / 2;
    const y = (low + high) / 2;
    addPanel(
      plan,
      random,
      paint,
      alongX ? [centre, y, across] : [across, y, centre],
      alongX ? [to - from, high - low, 0.1] : [0.1, high - low, to - from],
    );
  };
  if (!door) {
    piece(-length / 2, length / 2, 0, CEILING);
    return;
  }
  piece(-length / 2, -DOOR_WIDTH / 2, 0, CEILING);
  piece(DOOR_WIDTH / 2, length / 2, 0, CEILING);
  piece(-DOOR_WIDTH / 2, DOOR_WIDTH / 2, DOOR_HEIGHT, CEILING);
}

function hangPictures(plan: ScenePlan, random: SeededRandom, bounds: Bounds, side: Side): void {
  const alongX = side === 'north' || side === 'south';
  const across = {
    north: bounds.back + 0.07,
    south: bounds.front - 0.07,
    west: bounds.left + 0.07,
    east: bounds.right - 0.07,
  }[side];
  const [low, high] = alongX ? [bounds.left, bounds.right] : [bounds.back, bounds.front];
  for (const share of [0.27, 0.73]) {
    const width = random.between(0.5, 1.1);
    const height = random.between(0.4, 0.8);
    const along = low + (high - low) * (share + random.between(-0.08, 0.08));
    const y = random.between(1.7, 2.05);
    addPanel(
      plan,
      random,
      'art',
      alongX ? [along, y, across] : [across, y, along],
      alongX ? [width, height, 0.04] : [0.04, height, width],
    );
  }
}

function overlapsAny(plan: ScenePlan, candidate: PlacedObject, gap: number): boolean {
  const [halfX, halfZ] = footprint(candidate);
  return plan.objects.some((other) => {
    const [otherX, otherZ] = footprint(other);
    return (
      Math.abs(candidate.position[0] - other.position[0]) < halfX + otherX + gap &&
      Math.abs(candidate.position[2] - other.position[2]) < halfZ + otherZ + gap
    );
  });
}

function placed(
  plan: ScenePlan,
  random: SeededRandom,
  entry: CatalogEntry,
  x: number,
  z: number,
  yawDegrees: number,
): PlacedObject {
  return {
    id: plan.objects.length + 1,
    name: entry.name,
    colour: random.pick(entry.colours),
    model: entry.model,
    size: entry.size,
    position: [x, entry.elevation ?? 0, z],
    yawDegrees,
  };
}

function furnishWalls(
  plan: ScenePlan,
  random: SeededRandom,
  bounds: Bounds,
  doors: readonly Side[],
  furniture: readonly CatalogEntry[],
): void {
  for (const entry of furniture) {
    for (let attempt = 0; attempt < 40; attempt += 1) {
      const side = random.pick(Object.keys(FACING) as Side[]);
      const alongX = side === 'north' || side === 'south';
      const [low, high] = alongX ? [bounds.left, bounds.right] : [bounds.back, bounds.front];
      const along = random.between(low + entry.size[0] / 2 + 0.15, high - entry.size[0] / 2 - 0.15);
      const inset = entry.size[2] / 2 + 0.12;
      const across = {
        north: bounds.back + inset,
        south: bounds.front - inset,
        west: bounds.left + inset,
        east: bounds.right - inset,
      }[side];
      const blocksDoor =
        doors.includes(side) && Math.abs(along - (low + high) / 2) < DOOR_WIDTH / 2 + entry.size[0] / 2 + 0.2;
      const candidate = placed(
        plan,
        random,
        entry,
        alongX ? along : across,
        alongX ? across : along,
        FACING[side],
      );
      if (blocksDoor || overlapsAny(plan, candidate, 0.15)) continue;
      plan.objects.push(candidate);
      if (entry.elevation !== undefined) {
        const [halfX, halfZ] = footprint({ size: [entry.size[0] + 0.2, 0, 0.42], yawDegrees: FACING[side] });
        addPanel(
          plan,
          random,
          'wood',
          [candidate.position[0], entry.elevation / 2, candidate.position[2]],
          [halfX * 2, entry.elevation, halfZ * 2],
        );
      }
      break;
    }
  }
}

function setTable(plan: ScenePlan, random: SeededRandom, bounds: Bounds): void {
  const x = (bounds.left + bounds.right) / 2 + random.pick([-1, 1]) * (bounds.right - bounds.left) * 0.2;
  const z = (bounds.front + bounds.back) / 2 + random.pick([-1, 1]) * (bounds.front - bounds.back) * 0.2;
  const table = placed(plan, random, random.pick(CENTRE_FURNITURE), x, z, 0);
  if (overlapsAny(plan, table, 0.3)) return;
  plan.objects.push(table);
  addPanel(plan, random, 'rug', [x, 0.01, z], [table.size[0] + 1.2, 0.02, table.size[2] + 1.2]);
  const chair = random.pick(DINING_CHAIRS);
  for (const side of random.shuffle([0, 1, 2, 3]).slice(0, 1 + random.below(3))) {
    const reach = (side % 2 === 0 ? table.size[2] : table.size[0]) / 2 + 0.2;
    const [dx, dz] = [
      [0, -1],
      [-1, 0],
      [0, 1],
      [1, 0],
    ][side];
    const candidate = placed(plan, random, chair, x + dx * reach, z + dz * reach, [0, 90, 180, -90][side]);
    plan.objects.push({ ...candidate, id: plan.objects.length + 1 });
  }
}

function addRoom(
  plan: ScenePlan,
  random: SeededRandom,
  bounds: Bounds,
  walls: readonly Side[],
  doors: readonly Side[],
  furniture: readonly CatalogEntry[],
): void {
  const width = bounds.right - bounds.left;
  const depth = bounds.front - bounds.back;
  const middle: [number, number] = [(bounds.left + bounds.right) / 2, (bounds.front + bounds.back) / 2];
  addPanel(
    plan,
    random,
    random.pick(['planks', 'tiles'] as const),
    [middle[0], -0.05, middle[1]],
    [width, 0.1, depth],
  );
  addPanel(plan, random, 'ceiling', [middle[0], CEILING + 0.05, middle[1]], [width, 0.1, depth]);
  const paint = random.pick(['wallpaper', 'wallpaper', 'brick'] as const);
  for (const side of walls) addWall(plan, random, paint, bounds, side, doors.includes(side));
  for (const side of Object.keys(FACING) as Side[])
    if (!doors.includes(side)) hangPictures(plan, random, bounds, side);
  furnishWalls(plan, random, bounds, doors, furniture);
  setTable(plan, random, bounds);
}

/** One furnished room around the origin. */
export function planRoom(seed: number): ScenePlan {
  const random = seededRandom(seed);
  const plan: ScenePlan = { kind: 'room', seed, panels: [], objects: [] };
  const halfWidth = random.between(3.6, 4.6);
  const halfDepth = random.between(3.2, 4.2);
  const bounds = { left: -halfWidth, right: halfWidth, front: halfDepth, back: -halfDepth };
  addRoom(
    plan,
    random,
    bounds,
    ['north', 'west', 'south', 'east'],
    [],
    random.shuffle(WALL_FURNITURE).slice(0, 7),
  );
  return plan;
}

/** Two furnished rooms, side by side along x, with a doorway between them at x = 4. */
export function planTwoRooms(seed: number): ScenePlan {
  const random = seededRandom(seed);
  const plan: ScenePlan = { kind: 'room', seed, panels: [], objects: [] };
  const furniture = random.shuffle(WALL_FURNITURE);
  addRoom(
    plan,
    random,
    { left: -4, right: 4, front: 3.6, back: -3.6 },
    ['north', 'west', 'south', 'east'],
    ['east'],
    furniture.slice(0, 7),
  );
  addRoom(
    plan,
    random,
    { left: 4, right: 11, front: 3.6, back: -3.6 },
    ['north', 'south', 'east'],
    ['west'],
    furniture.slice(7),
  );
  return plan;
}
