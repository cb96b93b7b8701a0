import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

/** Runs the scripts that make fixtures from other programs; they are no tests and not part of `npm test`. */
export default defineConfig({
  plugins: [swc.vite({ module: { type: 'es6' } })],
  test: { include: ['test/oracles/**/make-*.ts'], testTimeout: 600_000 },
});
