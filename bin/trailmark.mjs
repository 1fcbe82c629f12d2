#!/usr/bin/env node
// The `trailmark` command of the npm package. In a clone of the repository, which has the service too, it
// also runs the commands of the service. It is a committed file, because npm links commands before anything is built.
import { existsSync } from 'node:fs'

const SERVICE = new URL('../service/bin/trailmark.mjs', import.meta.url)
const SDK = new URL('../dist/esm/cli.js', import.meta.url)

const OF_SDK = ['sourcemaps', 'check', 'init', 'migrate', 'plan', 'types']

if (!OF_SDK.includes(process.argv[2]) && existsSync(SERVICE)) await import(SERVICE.href)
else if (existsSync(SDK)) await import(SDK.href)
else {
  process.stderr.write('trailmark: the SDK is not built. Run "npm run build:sdk".\n')
  process.exitCode = 1
}
