import { join } from 'node:path';
import ts from 'typescript';
import { packageRoot } from '../../src/config/package-root.js';

export const CLIENT_FOLDER = join(packageRoot(), 'clients', 'typescript');

/** Builds the client as its own configuration says. @returns what the compiler has to say against it */
export function buildClient(outDir: string): {
  options: ts.CompilerOptions;
  fileNames: string[];
  problems: string[];
} {
  const read = ts.readConfigFile(join(CLIENT_FOLDER, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { fileNames, options } = ts.parseJsonConfigFileContent(read.config, ts.sys, CLIENT_FOLDER);
  const program = ts.createProgram(fileNames, { ...options, outDir });
  const { diagnostics } = program.emit();
  const problems = [...ts.getPreEmitDiagnostics(program), ...diagnostics].map(({ messageText }) =>
    ts.flattenDiagnosticMessageText(messageText, '\n'),
  );
  return { options, fileNames, problems };
}
