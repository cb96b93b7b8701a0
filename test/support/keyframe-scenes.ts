import { makePlanarScene } from '../../bench/keyframes/scenes/planar-scene.js';
import { makeRoomScene } from '../../bench/keyframes/scenes/room-scene.js';
import { Scene } from '../../bench/keyframes/scenes/scene.js';
import { paintTexture } from '../../bench/keyframes/scenes/texture.js';

/** Scenes whose frames are drawn the same on every machine, for which test/fixtures/keyframes holds OpenCV's decisions. */
export function oracleScenes(): Scene[] {
  const painted = [41, 42, 43].map((seed) => paintTexture(900, 700, seed));
  const plane = (i: number) =>
    makePlanarScene({
      name: `plane-${i}`,
      heldOut: true,
      texture: painted[i]!,
      frameCount: 20,
      seed: 90 + i,
      zoom: 0.5,
    });
  const room = makeRoomScene({ name: 'room', heldOut: true, textures: painted, frameCount: 20, seed: 95 });
  return [plane(0), plane(1), room];
}
