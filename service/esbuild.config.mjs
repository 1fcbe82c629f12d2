import { fileURLToPath } from 'node:url'

/** How the service's code is bundled. Node loads a bundle in half the time of hundreds of small modules. */
export const options = {
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'warning',
  // Native packages with their wrapper, and the package that only services with a Postgres database load.
  external: ['@libsql/client', 'libsql', 'ffi-rs', '@chdb/*', 'pg'],
  // Bundled CommonJS modules load Node's own with `require`, which ES modules lack.
  banner: {
    js: "import { createRequire as createRequireOf } from 'node:module'; const require = createRequireOf(import.meta.url)",
  },
}
