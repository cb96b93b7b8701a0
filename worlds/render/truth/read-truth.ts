import { readFileSync } from 'node:fs';
import { type TimedAction } from '../camera-path.js';
import { type ClipQuestion } from './clip-questions.js';
import { type OverlapTable } from './ground-truth.js';

/** What tests and benchmarks need of a clip's JSON file. */
export interface ClipTruth {
  fps: number;
  width: number;
  height: number;
  hfovDegrees: number;
  actions: TimedAction[];
  questions: ClipQuestion[];
  objects: { id: number; name: string; colour: string }[];
  frames: {
    timestampMs: number;
    visible: { id: number; bearingDegrees: number; distanceMetres: number; share: number }[];
  }[];
  overlap: OverlapTable[];
}

/** The file as `formatGroundTruth` writes it. */
interface TruthFile {
  fps: number;
  width: number;
  height: number;
  hfov_degrees: number;
  actions: {
    action: TimedAction['action'];
    start_ms: number;
    end_ms: number;
    degrees: number | null;
    metres: number | null;
  }[];
  questions: ClipQuestion[];
  objects: ClipTruth['objects'];
  frames: { t: number; visible: [id: number, bearing: number, distance: number, share: number][] }[];
  overlap: { fps: number; t: number[]; rows: number[][] }[];
}

export function readTruth(path: string): ClipTruth {
  const file = JSON.parse(readFileSync(path, 'utf8')) as TruthFile;
  const { fps, width, height, questions, objects } = file;
  return {
    fps,
    width,
    height,
    hfovDegrees: file.hfov_degrees,
    actions: file.actions.map(({ action, start_ms, end_ms, degrees, metres }) => ({
      action,
      startMs: start_ms,
      endMs: end_ms,
      degrees,
      metres,
    })),
    questions,
    objects,
    frames: file.frames.map(({ t, visible }) => ({
      timestampMs: t,
      visible: visible.map(([id, bearingDegrees, distanceMetres, share]) => ({
        id,
        bearingDegrees,
        distanceMetres,
        share,
      })),
    })),
    overlap: file.overlap.map(({ fps: rate, t, rows }) => ({ fps: rate, timestampsMs: t, rows })),
  };
}
