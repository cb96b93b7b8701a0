import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Clip } from './clip.js';

interface Recording {
  name: string;
  path: string;
  width: number;
  height: number;
  framesPerSecond: number;
  heldOut: boolean;
}

const DOC = '/usr/share/doc/opencv-doc';

/** Debian's opencv-doc; Megamind and tree are kept out of tuning. */
const RECORDINGS: readonly Recording[] = [
  {
    name: 'box@2',
    path: `${DOC}/opencv4/html/box.mp4.gz`,
    width: 640,
    height: 480,
    framesPerSecond: 2,
    heldOut: false,
  },
  {
    name: 'box@5',
    path: `${DOC}/opencv4/html/box.mp4.gz`,
    width: 640,
    height: 480,
    framesPerSecond: 5,
    heldOut: false,
  },
  {
    name: 'cup@2',
    path: `${DOC}/opencv4/html/cup.mp4.gz`,
    width: 640,
    height: 480,
    framesPerSecond: 2,
    heldOut: false,
  },
  {
    name: 'cup@5',
    path: `${DOC}/opencv4/html/cup.mp4.gz`,
    width: 640,
    height: 480,
    framesPerSecond: 5,
    heldOut: false,
  },
  {
    name: 'vtest@1',
    path: `${DOC}/examples/data/vtest.avi`,
    width: 768,
    height: 576,
    framesPerSecond: 1,
    heldOut: false,
  },
  {
    name: 'Megamind@5',
    path: `${DOC}/examples/data/Megamind.avi`,
    width: 720,
    height: 528,
    framesPerSecond: 5,
    heldOut: true,
  },
  {
    name: 'tree@5',
    path: `${DOC}/examples/data/tree.avi`,
    width: 320,
    height: 240,
    framesPerSecond: 5,
    heldOut: true,
  },
];

/** Decodes the recordings that this machine has into raw files under `folder`. */
export function decodeRecordings(ffmpeg: string, folder: string): { clips: Clip[]; missing: string[] } {
  const present = RECORDINGS.filter((recording) => existsSync(recording.path));
  const missing = RECORDINGS.filter((recording) => !existsSync(recording.path)).map(
    (recording) => recording.name,
  );
  return { clips: present.map((recording) => decode(ffmpeg, recording, folder)), missing };
}

function decode(ffmpeg: string, recording: Recording, folder: string): Clip {
  const { name, width, height, framesPerSecond, heldOut } = recording;
  let source = recording.path;
  if (source.endsWith('.gz')) {
    source = join(folder, `${name}.mp4`);
    writeFileSync(source, gunzipSync(readFileSync(recording.path)));
  }
  const path = join(folder, `${name}.rgb`);
  const filter = `fps=${framesPerSecond},scale=${width}:${height}`;
  execFileSync(ffmpeg, [
    '-v',
    'quiet',
    '-y',
    '-i',
    source,
    '-vf',
    filter,
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    path,
  ]);
  return { name, heldOut, path, width, height, frameCount: statSync(path).size / (width * height * 3) };
}
