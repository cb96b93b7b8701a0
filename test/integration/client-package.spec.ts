import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildClient, CLIENT_FOLDER } from '../support/built-client.js';
import { temporaryFolder } from '../support/temporary-folder.js';

it('builds by itself, needs nothing of Node, and comes with its types', () => {
  const outDir = temporaryFolder();
  const { options, fileNames, problems } = buildClient(outDir);
  expect(options.types).toEqual([]);
  expect(problems).toEqual([]);
  const description = JSON.parse(readFileSync(join(CLIENT_FOLDER, 'package.json'), 'utf8')) as {
    exports: { '.': { types: string; default: string } };
    dependencies?: object;
  };
  const { types, default: main } = description.exports['.'];
  for (const path of [types, main]) expect(existsSync(path.replace('./dist', outDir)), path).toBe(true);
  expect(description.dependencies).toBeUndefined();
  // Only relative modules, so that a browser loads it as it is; `ws` is looked for by a name that no bundler follows.
  for (const name of fileNames) {
    const imported = [...readFileSync(name, 'utf8').matchAll(/from '([^']+)'/g)].map(([, from]) => from!);
    expect(
      imported.filter((from) => !from.startsWith('./')),
      name,
    ).toEqual([]);
  }
});
