// Writes test/fixtures/keyframes/cv2.json with Debian's python3-opencv:
//   npx vitest run --config test/oracles/oracles.config.ts test/oracles/keyframes/make-fixture.ts
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { Cv2Oracle } from '../../../bench/keyframes/cv2-oracle.js';
import { renderClip } from '../../../bench/keyframes/scenes/known-scenes.js';
import { oracleScenes } from '../../support/keyframe-scenes.js';

it('makes the fixture', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keyframe-fixture-'));
  const oracle = new Cv2Oracle();
  const fixture: Record<string, { keyframe: number; keep: boolean; overlap: number | null }[]> = {};
  for (const scene of oracleScenes()) {
    const decisions = await oracle.rule(renderClip(scene, folder), 0);
    fixture[scene.name] = decisions.map(({ keyframe, keep, overlap }) => ({ keyframe, keep, overlap }));
  }
  oracle.close();
  rmSync(folder, { recursive: true });
  writeFileSync(
    new URL('../../fixtures/keyframes/cv2.json', import.meta.url),
    `${JSON.stringify(fixture, null, 1)}\n`,
  );
});
