import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import { bindMigrationAwareSqlAdapterFactory } from '@prisma/driver-adapter-utils';
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg';

/**
 * SQL that leads from one Prisma schema to another, made with the WebAssembly build of Prisma's schema engine, since
 * the native one is downloaded at run time. It compares schemas, not databases: this build cannot read the catalogue
 * of PostgreSQL 18. A development tool; the server applies the committed migrations by itself.
 *
 * @param from the schema's text; null for an empty database
 * @param databaseUrl any reachable database, which the engine insists on but does not change
 */
export async function schemaSql(from: string | null, to: string, databaseUrl: string): Promise<string> {
  const wasmPath = createRequire(import.meta.url)
    .resolve('@prisma/schema-engine-wasm')
    .replace('schema_engine.js', 'schema_engine_bg.wasm');
  const bindings: WebAssembly.ModuleImports = { ...engineModule };
  const { instance } = await WebAssembly.instantiate(readFileSync(wasmPath), {
    './schema_engine_bg.js': bindings,
  });
  engineModule.__wbg_set_wasm(instance.exports);
  const start = instance.exports['__wbindgen_start'];
  if (typeof start === 'function') start();

  const adapter = bindMigrationAwareSqlAdapterFactory(new PrismaPg({ connectionString: databaseUrl }));
  const engine = await engineModule.SchemaEngine.new(
    { datamodels: [['schema.prisma', to]] },
    () => undefined,
    adapter,
  );
  const datamodel = (content: string) => ({
    tag: 'schemaDatamodel' as const,
    files: [{ path: 'schema.prisma', content }],
  });
  const { stdout } = await engine.diff({
    from: from === null ? { tag: 'empty' } : datamodel(from),
    to: datamodel(to),
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  });
  return (stdout ?? '').trim();
}
