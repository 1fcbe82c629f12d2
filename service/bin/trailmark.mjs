#!/usr/bin/env node
// The `trailmark` command. It is a committed file, because npm links commands before anything is built.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const MAIN = new URL('../dist/main.js', import.meta.url)

if (existsSync(MAIN)) await import(MAIN.href)
else {
  const root = fileURLToPath(new URL('../../', import.meta.url))
  process.stderr.write(
    `trailmark: the service is not built. Run "npm run build" in ${root}, or "npm start" to build and start it.\n`,
  )
  process.exitCode = 1
}
