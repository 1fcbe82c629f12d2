// `npm run typecheck [-- PROJECT …]`: checks the types of the SDK, the service and the console, or of some of them.
//
// With TypeScript 7, whose native compiler needs a fifth of the CPU time. Rollup and the API report still use
// TypeScript 6, because TypeScript 7 has no JavaScript API.
import { spawnSync } from 'node:child_process'

const PROJECTS = ['tsconfig.json', 'service/tsconfig.json', 'service/console/tsconfig.json']
const COMPILER = 'node_modules/typescript-7/bin/tsc'

const projects = process.argv.length > 2 ? process.argv.slice(2) : PROJECTS
const failed = projects.filter(
  (project) => spawnSync(process.execPath, [COMPILER, '-p', project, '--noEmit'], { stdio: 'inherit' }).status !== 0,
)
process.exitCode = failed.length ? 1 : 0
