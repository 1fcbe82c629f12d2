// TypeScript is transformed by swc, file by file; types are checked by `npm run typecheck`.
const transform = {
  '^.+\\.[cm]?[tj]s$': [
    '@swc/jest',
    { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
  ],
}

// Views of the SDK are in Preact.
const jsx = {
  parser: { syntax: 'typescript', tsx: true },
  transform: { react: { pragma: 'h', pragmaFrag: 'Fragment' } },
}
const withViews = {
  ...transform,
  '^.+\\.tsx$': ['@swc/jest', { jsc: { ...jsx, target: 'es2022' }, module: { type: 'commonjs' } }],
}

const service = {
  rootDir: './service',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/console/test'],
  testEnvironment: 'node',
  globalSetup: '<rootDir>/test/support/globalSetup.ts',
  globalTeardown: '<rootDir>/test/support/globalTeardown.ts',
  transform,
  // The service is ESM with explicit .ts extensions in its imports. swc keeps them, and jest resolves them unchanged.
  transformIgnorePatterns: ['/node_modules/'],
}

/** The files of suites that start the service. */
const suites = (...names) => names.map((name) => `**/service/${name}.test.ts`)

export default {
  // Service tests wait for the engine half of the time, so use one worker per core. By default, Jest leaves one core idle.
  maxWorkers: '100%',
  testSequencer: '<rootDir>/scripts/slowestFirst.mjs',
  // Only stops tests that hang. Generous, because a busy machine is slow.
  testTimeout: 1_800_000,
  projects: [
    {
      displayName: 'sdk',
      rootDir: '.',
      roots: ['<rootDir>/src', '<rootDir>/test'],
      testMatch: ['**/*.test.ts'],
      testEnvironment: 'jsdom',
      transform: withViews,
      // Preact is ESM only.
      transformIgnorePatterns: ['/node_modules/(?!preact/)'],
      moduleNameMapper: {
        '^error-stack-parser-es/lite$': '<rootDir>/test/support/errorStackParser.ts',
        '^trailmark$': '<rootDir>/src/entries/main.ts',
        '^trailmark/core$': '<rootDir>/src/entries/parts/core.ts',
        '^trailmark/endpoints$': '<rootDir>/src/entries/endpoints.ts',
        '^trailmark/(.*)$': '<rootDir>/src/subpaths/$1/index.ts',
      },
      setupFilesAfterEnv: ['<rootDir>/test/support/setup.ts'],
    },
    { ...service, displayName: 'service', testMatch: ['**/*.test.ts'] },
    // Runs some suites of the service again on a cluster of two shards: one or two of every room that uses the store. All
    // suites would take too long for every change. `TEST_STORE=cluster npx jest --testPathPatterns NAME` runs any other.
    {
      ...service,
      displayName: 'cluster',
      testMatch: suites('runs', 'insights', 'people', 'persons', 'materialization'),
      setupFilesAfterEnv: ['<rootDir>/test/support/onCluster.ts'],
    },
    {
      ...service,
      displayName: 'cluster and Postgres',
      testMatch: suites('capture', 'endpoints'),
      setupFilesAfterEnv: ['<rootDir>/test/support/onClusterAndPostgres.ts'],
    },
  ],
}
