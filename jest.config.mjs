// TypeScript is transformed by swc, file by file; types are checked by `npm run typecheck`.
const transform = {
  '^.+\\.[cm]?[tj]s$': [
    '@swc/jest',
    { jsc: { parser: { syntax: 'typescript' }, target: 'es2022' }, module: { type: 'commonjs' } },
  ],
}

export default {
  // Half of a service test is waiting for the engine: one worker for each core, where Jest would leave one core idle.
  maxWorkers: '100%',
  // A guard against what never ends, not a measure of speed: a busy machine takes its time.
  testTimeout: 30_000,
  projects: [
    {
      displayName: 'sdk',
      rootDir: '.',
      roots: ['<rootDir>/test'],
      testMatch: ['**/*.test.ts'],
      testEnvironment: 'jsdom',
      transform,
      transformIgnorePatterns: ['/node_modules/'],
      setupFilesAfterEnv: ['<rootDir>/test/support/setup.ts'],
    },
    {
      displayName: 'service',
      rootDir: './service',
      roots: ['<rootDir>/test'],
      testMatch: ['**/*.test.ts'],
      testEnvironment: 'node',
      transform,
      // The service is ESM with explicit .ts extensions in its imports; swc keeps them and jest resolves them as they are.
      transformIgnorePatterns: ['/node_modules/'],
    },
  ],
}
