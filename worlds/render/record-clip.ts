import { writeFile } from 'node:fs/promises';
import { FRAMES_PER_SECOND, LENS } from './camera-lens.js';
import { type PathStep, type Pose, posesAlong, timedActions } from './camera-path.js';
import { ClipEncoder } from './encode-clip.js';
import { type ScenePlan } from './scene/scene-plan.js';
import { type Studio } from './studio.js';
import { clipQuestions } from './truth/clip-questions.js';
import { formatGroundTruth, type OverlapTable } from './truth/ground-truth.js';
import { type View, viewOverlap } from './truth/view-overlap.js';
import { visibleObjects } from './truth/visible-objects.js';

/** One clip to render: a scene, and a walk or flight through it. */
export interface ClipPlan {
  /** Path under `samples/`, without extension. */
  name: string;
  scene: ScenePlan;
  start: Pose;
  steps: PathStep[];
  /** x264's constant rate factor: higher is smaller and worse. */
  quality: number;
  asksQuestions: boolean;
}

const OVERLAP_RATES = [1, 4] as const;

function overlapTable(fps: number, views: readonly View[]): OverlapTable {
  const stride = FRAMES_PER_SECOND / fps;
  const sampled = views.map((_, index) => index).filter((index) => index % stride === 0);
  return {
    fps,
    timestampsMs: sampled.map((index) => (index * 1000) / FRAMES_PER_SECOND),
    rows: sampled.map((current, row) =>
      sampled.slice(0, row).map((earlier) => viewOverlap(views[current], views[earlier], LENS)),
    ),
  };
}

/** Renders a clip to `<folder>/<name>.mp4` with its ground truth in `<name>.json`. */
export async function recordClip(studio: Studio, plan: ClipPlan, folder: string): Promise<void> {
  const poses = posesAlong(plan.start, plan.steps, FRAMES_PER_SECOND);
  await studio.setScene(plan.scene);
  const encoder = new ClipEncoder(`${folder}/${plan.name}.mp4`, FRAMES_PER_SECOND, plan.quality);
  const views: View[] = [];
  for (const pose of poses) {
    const shot = await studio.shoot(pose);
    views.push({ pose, truth: shot.truth });
    await encoder.add(shot.png);
  }
  await encoder.finish();
  const frames = views.map(({ pose, truth }, index) => ({
    timestampMs: (index * 1000) / FRAMES_PER_SECOND,
    pose,
    visible: visibleObjects(plan.scene.objects, pose, truth, LENS),
  }));
  const story = {
    seed: plan.scene.seed,
    objects: plan.scene.objects,
    actions: timedActions(plan.steps),
    frames,
  };
  const truth = formatGroundTruth({
    ...story,
    fps: FRAMES_PER_SECOND,
    width: LENS.width,
    height: LENS.height,
    hfovDegrees: LENS.horizontalFovDegrees,
    scene: plan.scene.kind,
    overlap: OVERLAP_RATES.map((fps) => overlapTable(fps, views)),
    questions: plan.asksQuestions ? clipQuestions(story) : [],
  });
  await writeFile(`${folder}/${plan.name}.json`, truth);
}
