import { type AgentAction } from '../../src/perception/percept.js';
import { advance, type PathStep, type Pose, posesAlong } from './camera-path.js';
import { FRAMES_PER_SECOND } from './camera-lens.js';
import { type ClipPlan } from './record-clip.js';
import { isFree } from './scene/free-space.js';
import { planRoom, planTwoRooms } from './scene/room-plan.js';
import { type ScenePlan } from './scene/scene-plan.js';
import { planStreet } from './scene/street-plan.js';
import { seededRandom, type SeededRandom } from './seeded-random.js';

const CLIPS_EACH = 8;
const LEAST_SECONDS = 13;
/** Nearer than this to a surface a person would stop. */
const CLEARANCE = 0.45;
const MOVES = ['move forward', 'move backward', 'move left', 'move right'] as const;
const TURNS = ['rotate left', 'rotate right'] as const;
const TURN_DEGREES = [15, 20, 30, 40, 45, 60, 75, 90, 100, 120];

interface Walker {
  /** Metres a second, slowest and fastest. */
  speed: [number, number];
  /** Metres in one go. */
  reach: [number, number];
  /** Whether it flies: rises, sinks and looks up and down more. */
  flies: boolean;
}

const ROOM_WALKER: Walker = { speed: [0.4, 0.8], reach: [0.6, 2.2], flies: false };
const STREET_WALKER: Walker = { speed: [0.9, 1.8], reach: [2, 5], flies: true };

/** Ends between whole seconds on purpose: a sampled pair of frames must be free to hold the end of one and the start of another. */
const wholeFrames = (seconds: number): number => Math.ceil(seconds * FRAMES_PER_SECOND) / FRAMES_PER_SECOND;

function makeStep(
  random: SeededRandom,
  action: AgentAction | 'stay',
  amount: number,
  perSecond: number,
): PathStep {
  const seconds = action === 'stay' ? random.between(1, 2) : amount / perSecond;
  return { action, amount, seconds: wholeFrames(seconds) };
}

function drawStep(random: SeededRandom, walker: Walker, pose: Pose): PathStep {
  const draw = random.next();
  const move = (actions: readonly AgentAction[]): PathStep =>
    makeStep(
      random,
      random.pick(actions),
      Number(random.between(...walker.reach).toFixed(2)),
      random.between(...walker.speed),
    );
  if (pose.pitchDegrees !== 0 && random.next() < 0.6) {
    const back = pose.pitchDegrees > 0 ? 'tilt downward' : 'tilt upward';
    return makeStep(random, back, Math.abs(pose.pitchDegrees), random.between(14, 24));
  }
  if (draw < 0.36)
    return makeStep(random, random.pick(TURNS), random.pick(TURN_DEGREES), random.between(18, 42));
  if (draw < 0.62) return move(['move forward']);
  if (draw < 0.84) return move(MOVES);
  if (draw < 0.91) return makeStep(random, 'stay', 0, 1);
  if (walker.flies && draw < 0.97) return move(['move upward', 'move downward']);
  if (pose.pitchDegrees !== 0) return makeStep(random, 'stay', 0, 1);
  const tilt = random.pick(['tilt upward', 'tilt downward'] as const);
  return makeStep(random, tilt, random.pick([15, 20, 25]), random.between(14, 24));
}

/** Draws steps until the clip is long enough; one that runs into something, or goes on as the last did, is drawn again. */
function drawWalk(random: SeededRandom, scene: ScenePlan, start: Pose, walker: Walker): PathStep[] | null {
  const steps: PathStep[] = [];
  let pose = start;
  let seconds = 0;
  for (let attempt = 0; seconds < LEAST_SECONDS; attempt += 1) {
    if (attempt > 200) return null;
    const step = drawStep(random, walker, pose);
    if (step.action === steps.at(-1)?.action) continue;
    const isClear = posesAlong(pose, [step], FRAMES_PER_SECOND).every((at) => isFree(scene, at, CLEARANCE));
    if (!isClear) continue;
    steps.push(step);
    pose = advance(pose, step, 1);
    seconds += step.seconds;
  }
  return steps;
}

function drawClip(split: string, index: number, seed: number): ClipPlan {
  const random = seededRandom(seed);
  const kind = index % 8 < 4 ? 'room' : index % 8 === 4 ? 'rooms' : 'street';
  const scene = kind === 'room' ? planRoom(seed) : kind === 'rooms' ? planTwoRooms(seed) : planStreet(seed);
  const walker = kind === 'street' ? STREET_WALKER : ROOM_WALKER;
  for (;;) {
    const start: Pose =
      kind === 'street'
        ? {
            x: random.between(-0.8, 0.8),
            y: random.between(1.6, 3.5),
            z: random.between(2, 14),
            yawDegrees: 0,
            pitchDegrees: 0,
          }
        : {
            x: random.between(-2, 2),
            y: random.between(1.1, 1.6),
            z: random.between(-2, 2),
            yawDegrees: random.below(24) * 15,
            pitchDegrees: 0,
          };
    if (!isFree(scene, start, CLEARANCE)) continue;
    const steps = drawWalk(random, scene, start, walker);
    if (steps === null) continue;
    return {
      name: `motion/${split}/${kind}-${index + 1}`,
      scene,
      start,
      steps,
      quality: kind === 'street' ? 33 : 30,
      asksQuestions: false,
    };
  }
}

/**
 * Clips for scoring ego-motion, drawn from seeds: each in a scene of its own, tune and held out apart. Thresholds are
 * chosen on `tune`; `heldout` is only scored.
 */
export function motionClips(): ClipPlan[] {
  return ['tune', 'heldout'].flatMap((split, part) =>
    Array.from({ length: CLIPS_EACH }, (_, index) => drawClip(split, index, 100 + 100 * part + index)),
  );
}
