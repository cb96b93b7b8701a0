import { type TimedAction } from '../camera-path.js';
import { type PlacedObject } from '../scene/scene-plan.js';
import { type ClipQuestion } from './clip-questions.js';
import { type VisibleObject } from './visible-objects.js';
import { type Pose } from '../camera-path.js';

/** What a clip's JSON file tells; `samples/README.md` documents it. */
export interface GroundTruth {
  fps: number;
  width: number;
  height: number;
  hfovDegrees: number;
  seed: number;
  scene: string;
  objects: readonly PlacedObject[];
  actions: readonly TimedAction[];
  frames: readonly { timestampMs: number; pose: Pose; visible: readonly VisibleObject[] }[];
  overlap: readonly OverlapTable[];
  questions: readonly ClipQuestion[];
}

/** `rows[i][j]`, j < i: the share of the earlier sampled frame j that sampled frame i still shows. */
export interface OverlapTable {
  fps: number;
  timestampsMs: number[];
  rows: number[][];
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

/** JSON with one action, object, frame or table row a line: readable, and a change shows as a short diff. */
export function formatGroundTruth(truth: GroundTruth): string {
  const lines = (items: readonly unknown[]): string =>
    items.length === 0 ? '[]' : `[\n${items.map((item) => `    ${JSON.stringify(item)}`).join(',\n')}\n  ]`;
  const { fps, width, height, seed, scene } = truth;
  const head = {
    fps,
    width,
    height,
    hfov_degrees: truth.hfovDegrees,
    frame_count: truth.frames.length,
    scene,
    seed,
  };
  const objects = truth.objects.map(({ id, name, colour, position, size }) => ({
    id,
    name,
    colour,
    position: position.map((value) => round(value, 2)),
    size,
  }));
  const actions = truth.actions.map(({ action, startMs, endMs, degrees, metres }) => ({
    action,
    start_ms: startMs,
    end_ms: endMs,
    degrees: degrees === null ? null : round(degrees, 2),
    metres: metres === null ? null : round(metres, 3),
  }));
  const frames = truth.frames.map(({ timestampMs, pose, visible }) => ({
    t: timestampMs,
    pose: [
      round(pose.x, 3),
      round(pose.y, 3),
      round(pose.z, 3),
      round(pose.yawDegrees, 2),
      round(pose.pitchDegrees, 2),
    ],
    visible: visible.map((object) => [
      object.id,
      round(object.bearingDegrees, 1),
      round(object.distanceMetres, 2),
      round(object.share, 4),
      ...object.box,
    ]),
  }));
  const tables = truth.overlap.map(
    (table) =>
      `{ "fps": ${table.fps}, "t": ${JSON.stringify(table.timestampsMs)}, "rows": ${lines(
        table.rows.map((row) => row.map((value) => round(value, 3))),
      )} }`,
  );
  const headLines = Object.entries(head).map(
    ([key, value]) => `  ${JSON.stringify(key)}: ${JSON.stringify(value)},`,
  );
  return [
    '{',
    ...headLines,
    `  "actions": ${lines(actions)},`,
    `  "questions": ${lines(truth.questions)},`,
    `  "objects": ${lines(objects)},`,
    `  "frames": ${lines(frames)},`,
    `  "overlap": [${tables.join(', ')}]`,
    '}',
    '',
  ].join('\n');
}
