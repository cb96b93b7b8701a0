import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { packageRoot } from '../../src/config/package-root.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = join(packageRoot(), 'clients', 'typescript');

it('builds by itself, needs nothing of Node, and comes with its types', () => {
  const outDir = temporaryFolder();
  const read = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  const { fileNames, options } = ts.parseJsonConfigFileContent(read.config, ts.sys, folder);
  expect(options.types).toEqual([]);
  const program = ts.createProgram(fileNames, { ...options, outDir });
  const { diagnostics } = program.emit();
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
  expect(problems).toEqual([]);
  const description = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
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
