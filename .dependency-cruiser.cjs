// Dependencies point one way: transport → application → domain ← adapters (see docs/extending.md).
const TRANSPORT = '\\.(controller|gateway)\\.ts$|-view\\.ts$|/dto/|^src/(http|stream|cli)/';
/** Pure: plain data and functions, usable without a server. */
const DOMAIN = '^src/(reasoning|errors)/|^src/perception/(percept|wording|contradiction|perceiver)\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules that need each other are one module, or lack a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'domain-is-pure',
      comment: 'The domain knows neither the framework nor the database nor its adapters.',
      severity: 'error',
      from: { path: DOMAIN, pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^node_modules/(@nestjs|@prisma|openai|onnxruntime|express)|^src/(database|http|config|reason|sessions|trajectories|frames)/|^src/lm/(?!language-model\\.ts)',
      },
    },
    {
      name: 'models-know-no-framework',
      comment:
        'The runtime, the selector and the frame source run in workers, benchmarks and scripts as well.',
      severity: 'error',
      from: {
        path: '^src/(lm/(onnx|openai)|keyframes|frames|perception/(local|openai|ego-motion)|upstream|workers)/',
        pathNot: '\\.module\\.ts$',
      },
      to: { path: '^node_modules/(@nestjs|@prisma)|^src/database/' },
    },
    {
      name: 'prisma-in-repositories',
      comment: 'One place to look for what is read and written.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.repository\\.ts$|^src/database/' },
      to: { path: '^src/database/generated/|^node_modules/(@prisma/client|pg)/' },
    },
    {
      name: 'nothing-below-imports-transport',
      comment: 'Services must work without HTTP.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: `${TRANSPORT}|\\.module\\.ts$|^src/server\\.ts$|request-reader|upload|event-stream`,
      },
      to: { path: TRANSPORT, pathNot: '^src/http/problem|\\.module\\.ts$' },
    },
    {
      name: 'product-stands-alone',
      comment: 'The server needs neither tests, benchmarks nor the worlds that made its policy.',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(worlds|bench|test)/' },
    },
    {
      name: 'declared-dependencies',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown', 'undetermined'],
        dependencyTypesNot: ['type-only'],
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/database/generated/internal' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
};
