// A process of Node, Deno or Bun: `process.mjs PACKAGE HOST NAME MODE`.
import { run } from './script.mjs'

const [file, host, name, mode] = process.argv.slice(2)
await run(() => import(file), { host, name, mode })
