// `npm run typecheck [-- PROJECT …]`: checks the types of the SDK, the service and the console, or of some of them.
//
// Uses TypeScript 7, whose native compiler needs a fifth of the CPU time. Rollup and the API report still use
// TypeScript 6, because TypeScript 7 has no JavaScript API. Results are cached in a file per project, so the next run
// checks only what has changed and takes one second instead of four.
import { spawnSync } from 'node:child_process'

const PROJECTS = ['tsconfig.json', 'service/tsconfig.json', 'service/console/tsconfig.json']
const COMPILER = 'node_modules/typescript-7/bin/tsc'
const CACHE = 'node_modules/.cache/typecheck'

/** Returns the options of a check that starts from the results of the last one. */
const incremental = (project) => [
  '--incremental',
  '--tsBuildInfoFile',
  `${CACHE}/${project.replaceAll(/[\\/]/g, '-').replace(/\.json$/, '')}.tsbuildinfo`,
]

const projects = process.argv.length > 2 ? process.argv.slice(2) : PROJECTS
const failed = projects.filter(
  (project) =>
    spawnSync(process.execPath, [COMPILER, '-p', project, '--noEmit', ...incremental(project)], { stdio: 'inherit' })
      .status !== 0,
)
process.exitCode = failed.length ? 1 : 0
