import { existsSync, openSync, writeSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { Clip } from '../clip.js';
import { makePlanarScene } from './planar-scene.js';
import { makeRoomScene } from './room-scene.js';
import { Scene } from './scene.js';
import { paintTexture, Texture, toTexture } from './texture.js';

const DOC = '/usr/share/doc/opencv-doc/examples/data';
const TUNING_STILLS = ['aloeL.jpg', 'building.jpg', 'graf1.png'];
const HELD_OUT_STILLS = ['leuvenA.jpg', 'starry_night.jpg', 'home.jpg', 'stuff.jpg'];

/** Flat pictures under a moving camera and rooms walked through, from photographs where Debian's opencv-doc is there. */
export async function makeKnownScenes(framesEach: number): Promise<Scene[]> {
  const scenes: Scene[] = [];
  for (const heldOut of [false, true]) {
    const stills = await loadStills(heldOut ? HELD_OUT_STILLS : TUNING_STILLS);
    const painted = [1, 2, 3].map((seed) => paintTexture(900, 700, (heldOut ? 500 : 100) + seed));
    const label = heldOut ? 'held' : 'tuned';
    const seed = heldOut ? 70 : 10;
    [...stills, ...painted.slice(0, 2)].forEach((texture, i) => {
      const name = `plane-${label}-${i}`;
      const zoom = texture.levels[0].width > 1000 ? 0.9 : 0.5;
      scenes.push(makePlanarScene({ name, heldOut, texture, frameCount: framesEach, seed: seed + i, zoom }));
    });
    [painted, [...stills, painted[0]]].forEach((textures, i) => {
      for (const walk of [0, 1]) {
        const name = `room-${label}-${2 * i + walk}`;
        scenes.push(
          makeRoomScene({ name, heldOut, textures, frameCount: framesEach, seed: seed + 20 + 2 * i + walk }),
        );
      }
    });
  }
  return scenes;
}

async function loadStills(names: readonly string[]): Promise<Texture[]> {
  const paths = names.map((name) => join(DOC, name)).filter((path) => existsSync(path));
  return Promise.all(
    paths.map(async (path) => {
      const { data, info } = await sharp(path)
        .removeAlpha()
        .toColourspace('srgb')
        .raw()
        .toBuffer({ resolveWithObject: true });
      return toTexture(info.width, info.height, new Uint8Array(data));
    }),
  );
}

/** Renders a scene into a raw file under `folder`. */
export function renderClip(scene: Scene, folder: string): Clip {
  const path = join(folder, `${scene.name.replaceAll('/', '-')}.rgb`);
  const file = openSync(path, 'w');
  for (let index = 0; index < scene.frameCount; index++) writeSync(file, scene.render(index));
  closeSync(file);
  const { name, heldOut, width, height, frameCount } = scene;
  return { name, heldOut, path, width, height, frameCount };
}
