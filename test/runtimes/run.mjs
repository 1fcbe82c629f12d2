// `npm run test:runtimes`: `trailmark/server` in Node, Deno, Bun and workerd. Installs them from npm into a temporary folder, so it is
// not a part of `npm test`. Needs a build. A runtime that cannot be installed is reported and skipped, unless `CI` is set.
import { fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startCollector } from './collector.mjs'

const HERE = fileURLToPath(new URL('.', import.meta.url))
const PACKAGE = resolve(HERE, '../../dist/esm/server.js')
const VERSIONS = { deno: '2.9.6', bun: '1.4.5', miniflare: '4.20260730.0', express: '5' }
// Far more than a process needs. One that waits for a timer of the package would take ten minutes.
const MAX_MS = 60_000

const folder = mkdtempSync(join(tmpdir(), 'trailmark-runtimes-'))
writeFileSync(join(folder, 'package.json'), '{"private":true}')
const { host, events, stop } = await startCollector()

const install = (name) => {
  const args = ['install', '--no-audit', '--no-fund', '--foreground-scripts', `${name}@${VERSIONS[name]}`]
  return spawnSync('npm', args, { cwd: folder, stdio: 'ignore', timeout: 300_000 }).status === 0
}
const binary = (name) => join(folder, 'node_modules/.bin', name)

/** Runs a command. Resolves with its exit code, and how long it took. */
const execute = (command, args) =>
  new Promise((done) => {
    const began = Date.now()
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: MAX_MS })
    child.once('error', () => done({ code: -1, ms: 0 }))
    child.once('close', (code) => done({ code, ms: Date.now() - began }))
  })

const processOf = (name, command, ...args) => [
  name,
  async (mode) => {
    const { code, ms } = await execute(command, [...args, join(HERE, 'process.mjs'), PACKAGE, host, name, mode])
    if (code !== 0) throw new Error(`it ended with ${code}`)
    return ms
  },
]

/** Runs the package in workerd, the runtime of Cloudflare Workers. */
const inWorkerd = async (mode) => {
  const { Miniflare } = await import(join(folder, 'node_modules/miniflare/dist/src/index.js'))
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    stdin: {
      contents: `import { createAnalytics } from ${JSON.stringify(PACKAGE)}
        export default {
          async fetch(request, env, ctx) {
            const waitUntil = env.mode === 'flush' ? undefined : (promise) => ctx.waitUntil(promise)
            const analytics = createAnalytics('token', { host: env.host, waitUntil })
            analytics.capture({ distinctId: 'ada', event: 'started', properties: { name: 'workerd', mode: env.mode } })
            analytics.captureException(new Error('no such thing'), 'ada', { name: 'workerd', mode: env.mode })
            return new Response(String(env.mode === 'flush' ? await analytics.flush() : true))
          },
        }`,
      resolveDir: HERE,
    },
    bundle: true,
    format: 'esm',
    write: false,
    conditions: ['workerd', 'worker'],
  })
  const worker = new Miniflare({
    modules: true,
    script: outputFiles[0].text,
    compatibilityDate: '2026-01-01',
    bindings: { host, mode },
  })
  const began = Date.now()
  const response = await worker.dispatchFetch('http://worker/')
  if ((await response.text()) !== 'true') throw new Error('flush() has not sent all events')
  while (count('workerd', mode) < 2 && Date.now() - began < MAX_MS) await new Promise((done) => setTimeout(done, 50))
  await worker.dispose()
  return Date.now() - began
}

/** Runs the Express server of docs/guides/server.md: an order, and the end by a signal. */
const runExpress = async () => {
  const guide = readFileSync(resolve(HERE, '../../docs/guides/server.md'), 'utf8')
  const code = guide
    .match(/```js\n(import express[^]*?)```/)[1]
    .replace('http://127.0.0.1:8000', host)
    .replace("'trailmark/server'", JSON.stringify(PACKAGE))
    .replace('app.listen(3000)', 'app.listen(0, () => process.send(server.address().port))')
  const file = join(folder, 'express.mjs')
  writeFileSync(file, code)
  const child = fork(file, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], timeout: MAX_MS })
  const [port] = await once(child, 'message')
  await fetch(`http://127.0.0.1:${port}/orders`, { method: 'POST' })
  const ended = once(child, 'exit')
  child.disconnect()
  child.kill('SIGTERM')
  const [exitCode] = await ended
  const names = events.map(({ event }) => event)
  if (exitCode !== 0 || !names.includes('order placed'))
    throw new Error(`it ended with ${exitCode} and stored ${names}`)
}

const count = (name, mode) =>
  events.filter(({ properties }) => properties.name === name && properties.mode === mode).length

const RUNTIMES = [
  processOf('node', process.execPath),
  install('deno') && processOf('deno', binary('deno'), 'run', '-A', '--no-lock'),
  install('bun') && processOf('bun', binary('bun')),
  install('miniflare') && ['workerd', inWorkerd],
]
let failed = 0
const skipped = ['node', 'deno', 'bun', 'workerd'].filter((_, index) => !RUNTIMES[index])
for (const name of skipped) console.log(`${name}: could not be installed`)
if (process.env.CI) failed += skipped.length
// Without a flush, a process sends what waits before it ends, and a Worker by waitUntil.
for (const [name, runIn] of RUNTIMES.filter(Boolean))
  for (const mode of ['flush', 'no flush'])
    try {
      const ms = await runIn(mode)
      const stored = count(name, mode)
      if (stored !== 2) throw new Error(`2 captured, ${stored} stored`)
      console.log(`${name}, ${mode}: 2 captured, 2 stored, ended after ${ms} ms`)
    } catch (error) {
      failed += 1
      console.error(`${name}, ${mode}: ${error.message}`)
    }
try {
  if (!install('express')) throw new Error('express could not be installed')
  await runExpress()
  console.log('Express: the example of the guide stored its order before it ended')
} catch (error) {
  failed += 1
  console.error(`Express: ${error.message}`)
}
stop()
rmSync(folder, { recursive: true, force: true })
process.exitCode = failed ? 1 : 0
