import swc from 'unplugin-swc';
import { defineConfig } from 'vitest/config';

// swc, because Nest's injection needs decorator metadata, which the default transform does not emit.
export default defineConfig({
  plugins: [swc.vite({ module: { type: 'es6' } })],
  test: {
    include: ['src/**/*.spec.ts', 'worlds/**/*.spec.ts', 'clients/**/*.spec.ts', 'test/**/*.spec.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
