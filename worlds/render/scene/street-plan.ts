import { seededRandom, type SeededRandom } from '../seeded-random.js';
import { CAR, type CatalogEntry, STREET_FURNITURE, TRUCK } from './furniture-catalog.js';
import { type ScenePlan } from './scene-plan.js';

const ROAD_HALF_WIDTH = 4;
const PAVEMENT_WIDTH = 3.2;
/** The street runs along z; tiles keep the ground's texture sharp under a low drone. */
const NEAR_END = 25;
const FAR_END = -45;
const TILE = 10;

function layGround(plan: ScenePlan, random: SeededRandom): void {
  plan.panels.push({
    paint: 'grass',
    seed: random.below(1e9),
    centre: [0, -0.2, -10],
    size: [120, 0.1, 130],
  });
  for (let z = FAR_END; z < NEAR_END; z += TILE) {
    plan.panels.push({
      paint: 'asphalt',
      seed: random.below(1e9),
      centre: [0, -0.05, z + TILE / 2],
      size: [2 * ROAD_HALF_WIDTH, 0.1, TILE],
    });
    for (const side of [-1, 1]) {
      const x = side * (ROAD_HALF_WIDTH + PAVEMENT_WIDTH / 2);
      plan.panels.push({
        paint: 'pavement',
        seed: random.below(1e9),
        centre: [x, 0, z + TILE / 2],
        size: [PAVEMENT_WIDTH, 0.2, TILE],
      });
    }
  }
}

function addBuilding(
  plan: ScenePlan,
  random: SeededRandom,
  centre: [number, number],
  size: [number, number, number],
): void {
  const [width, height, depth] = size;
  plan.panels.push({
    paint: 'facade',
    seed: random.below(1e9),
    centre: [centre[0], height / 2, centre[1]],
    size,
  });
  plan.panels.push({
    paint: 'roof',
    seed: random.below(1e9),
    centre: [centre[0], height + 0.15, centre[1]],
    size: [width + 0.5, 0.3, depth + 0.5],
  });
}

function buildHouses(plan: ScenePlan, random: SeededRandom): void {
  const setback = ROAD_HALF_WIDTH + PAVEMENT_WIDTH;
  for (const side of [-1, 1]) {
    for (let z = NEAR_END; z > FAR_END;) {
      const front = random.between(6, 11);
      const deep = random.between(6, 9);
      const gap = random.next() < 0.3 ? random.between(1.5, 4) : 0.05;
      addBuilding(
        plan,
        random,
        [side * (setback + deep / 2), z - front / 2],
        [deep, random.between(5, 11), front],
      );
      z -= front + gap;
    }
  }
  for (const end of [NEAR_END + 8, FAR_END - 8]) {
    addBuilding(plan, random, [-7, end], [13, random.between(6, 12), 8]);
    addBuilding(plan, random, [7, end], [13, random.between(6, 12), 8]);
  }
}

function place(
  plan: ScenePlan,
  random: SeededRandom,
  entry: CatalogEntry,
  x: number,
  y: number,
  z: number,
  yawDegrees: number,
): void {
  plan.objects.push({
    id: plan.objects.length + 1,
    name: entry.name,
    colour: random.pick(entry.colours),
    model: entry.model,
    size: entry.size,
    position: [x, y, z],
    yawDegrees,
  });
}

/** Parked cars at the kerbs, signs and greenery on the pavements; the middle of the road stays free. */
function dressStreet(plan: ScenePlan, random: SeededRandom): void {
  for (const side of [-1, 1]) {
    for (let z = 14; z > -38; z -= random.between(6.5, 13)) {
      const entry = random.next() < 0.14 ? TRUCK : CAR;
      place(plan, random, entry, side * 3, 0, z, side * 90);
    }
    let queue: CatalogEntry[] = [];
    for (let z = 12; z > -36; z -= random.between(4.5, 8)) {
      if (queue.length === 0) queue = random.shuffle(STREET_FURNITURE);
      const entry = queue.pop() ?? STREET_FURNITURE[0];
      const faces = entry.name === 'stop sign' || entry.name === 'traffic light' ? 0 : side * -90;
      place(
        plan,
        random,
        entry,
        side * (ROAD_HALF_WIDTH + (entry.name === 'tree' ? 1.6 : 1.1)),
        0.1,
        z,
        faces,
      );
    }
  }
}

/** A street with houses on both sides, seen best from its middle, looking along -z. */
export function planStreet(seed: number): ScenePlan {
  const random = seededRandom(seed);
  const plan: ScenePlan = { kind: 'street', seed, panels: [], objects: [] };
  layGround(plan, random);
  buildHouses(plan, random);
  dressStreet(plan, random);
  return plan;
}
