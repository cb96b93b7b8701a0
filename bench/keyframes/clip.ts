import { readFileSync } from 'node:fs';
import { Frame } from '../../src/frames/frame.js';

/** Decoded frames in a raw file, [frameCount, height, width, 3], so that both selectors see the same bytes. */
export interface Clip {
  name: string;
  heldOut: boolean;
  path: string;
  width: number;
  height: number;
  frameCount: number;
}

export function readFrames(clip: Clip): Frame[] {
  const bytes = readFileSync(clip.path);
  const size = clip.width * clip.height * 3;
  return Array.from({ length: clip.frameCount }, (_, index) => ({
    index,
    timestampMs: index * 1000,
    width: clip.width,
    height: clip.height,
    rgb: new Uint8Array(bytes.buffer, bytes.byteOffset + index * size, size),
  }));
}
