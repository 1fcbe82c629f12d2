// `npm start`: builds what is out of date, starts the service and the demo shop, and prints what to do next.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join, relative } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const OLDEST_NODE = [20, 19]
// The service completes requests in flight before it stops, for at most 20 s.
const STOP_WAIT_MS = 25_000

const isTerminal = process.stdout.isTTY && !process.env.NO_COLOR
const paint = (code) => (text) => (isTerminal ? `\x1b[${code}m${text}\x1b[0m` : text)
const [bold, faint, green, red, amber] = ['1', '2', '32', '31', '33'].map(paint)

const say = (line = '') => void process.stdout.write(`${line}\n`)
const warn = (line) => void process.stderr.write(`${line}\n`)
const seconds = (since) => `${((Date.now() - since) / 1000).toFixed(1)} s`

const fail = (sentence) => {
  warn(red(sentence))
  process.exit(1)
}

// ── Prerequisites ───────────────────────────────────────────────────────────────────────────────────────────

const checkNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number)
  const isOld = major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
  if (isOld) fail(`Trailmark runs on Node ${OLDEST_NODE.join('.')} and newer; this is Node ${process.versions.node}.`)
}

const checkPackages = () => {
  if (['rollup', 'typescript', 'fastify'].some((name) => !existsSync(join(ROOT, 'node_modules', name)))) {
    fail(`The packages are not installed: run \`npm ci\` in ${ROOT} first.`)
  }
}

// ── Building ───────────────────────────────────────────────────────────────────────────────────────────────────────

const extensions = Object.keys(JSON.parse(readFileSync(join(ROOT, 'src/extensions/extensions.json'), 'utf8')))

/** A build counts as done when every one of its `outputs` is newer than every one of its `sources`. */
const BUILDS = [
  {
    // Only what the service serves. `npm run build` also builds the npm package.
    name: "the SDK's scripts",
    sources: [
      'src',
      'rollup.config.mjs',
      'scripts/quickBuild.mjs',
      'scripts/servedFiles.mjs',
      'scripts/statelessPreact.mjs',
      'tsconfig.json',
      'package.json',
    ],
    outputs: ['analytics', 'analytics.core', 'chart', ...extensions].map((name) => `dist/${name}.js`),
    command: ['scripts/quickBuild.mjs'],
    // The service reads it when it starts, which is before this build is done.
    removes: ['dist/release.json'],
  },
  {
    name: 'the service',
    isNeededToStart: true,
    sources: [
      'service/src',
      'service/build.mjs',
      'service/esbuild.config.mjs',
      'scripts/servedFiles.mjs',
      'service/package.json',
    ],
    outputs: ['service/dist/main.js'],
    command: ['service/build.mjs'],
  },
  {
    name: 'the console',
    isNeededToStart: true,
    sources: [
      'service/console/src',
      'service/console/public',
      'service/console/index.html',
      'service/console/player.html',
      'service/console/preview.html',
      'service/console/vite.config.ts',
      'service/console/package.json',
    ],
    outputs: ['service/console/dist/index.html'],
    command: ['node_modules/vite/bin/vite.js', 'build', 'service/console', '--logLevel', 'warn'],
  },
  {
    name: 'the docs',
    sources: [
      'docs',
      'README.md',
      'site/client',
      ...['build', 'highlight', 'layout', 'pages', 'render', 'searchData', 'texts'].map((name) => `site/${name}.mjs`),
    ],
    outputs: ['site/dist/index.html'],
    command: ['site/build.mjs'],
  },
]

const changedAt = (path) => {
  const found = statSync(path, { throwIfNoEntry: false })
  return found ? found.mtimeMs : 0
}

// A folder's modification time changes when a file is added or removed.
const newest = (path) => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return 0
  if (!found.isDirectory()) return found.mtimeMs
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))))
}

const isBuilt = ({ sources, outputs }) =>
  Math.min(...outputs.map((file) => changedAt(join(ROOT, file)))) >
  Math.max(...sources.map((path) => newest(join(ROOT, path))))

const building = new Set()

const date = (files, time) => {
  for (const file of files) if (existsSync(join(ROOT, file))) utimesSync(join(ROOT, file), time, time)
}

const build = ({ name, command: [file, ...args], outputs, removes = [] }) =>
  new Promise((resolve, reject) => {
    const began = Date.now()
    // The output of a build that fails or is stopped must not count as built.
    date(outputs, 0)
    for (const each of removes) rmSync(join(ROOT, each), { force: true })
    const child = spawn(process.execPath, [join(ROOT, file), ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
    building.add(child)
    let output = ''
    child.stdout.on('data', (data) => (output += data))
    child.stderr.on('data', (data) => (output += data))
    child.on('error', reject)
    child.on('close', (code) => {
      building.delete(child)
      if (code === 0) {
        // The compiler leaves files unchanged that are up to date.
        date(outputs, new Date())
        say(`${green('✓')} Built ${name} ${faint(seconds(began))}`)
        return resolve()
      }
      reject(new Error(`Building ${name} failed:\n\n${output.trim()}`))
    })
  })

/**
 * Builds outdated parts in parallel. Calls `start` once the parts that it needs are built. Resolves with the result of
 * `start`.
 */
const buildAndStart = async (start) => {
  const wanted = BUILDS.filter((each) => !isBuilt(each))
  if (wanted.length === 0) say(`${green('✓')} Everything is built`)
  else say(`${faint('…')} Building ${new Intl.ListFormat('en').format(wanted.map(({ name }) => name))}`)
  const builds = wanted.map((each) => ({ ...each, done: build(each) }))
  const needed = Promise.all(builds.filter((each) => each.isNeededToStart).map(({ done }) => done))
  const [started] = await Promise.all([needed.then(start), ...builds.map(({ done }) => done)])
  return started
}

// ── Running ────────────────────────────────────────────────────────────────────────────────────────────────────────

const running = new Map()
let stopping = false

const isAlive = ({ exitCode, signalCode }) => exitCode === null && signalCode === null

const stopOne = (child) =>
  new Promise((resolve) => {
    if (!isAlive(child)) return resolve()
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_WAIT_MS)
    child.once('exit', () => {
      clearTimeout(late)
      resolve()
    })
    child.kill('SIGTERM')
  })

/** Stops the children, the shop first, because it sends requests to the service. */
const stopAll = async (code) => {
  if (stopping) return
  stopping = true
  for (const child of building) child.kill('SIGTERM')
  for (const name of [...running.keys()].reverse()) await stopOne(running.get(name))
  process.exit(code)
}

const onSignal = () => {
  // A second Ctrl-C kills the children.
  if (stopping) {
    for (const child of running.values()) child.kill('SIGKILL')
    process.exit(1)
  }
  say()
  say(`${faint('…')} Stopping`)
  void stopAll(0)
}

/**
 * Starts `node file` and resolves with the JSON of its line `<ready> {…}`. Lines before that are passed to `onProgress`;
 * later lines are printed with its name in front.
 */
const run = ({ name, file, ready, env, onProgress }) =>
  new Promise((resolve, reject) => {
    // In a separate process group, so that Ctrl-C reaches only this process, which then stops its children one by one.
    const child = spawn(process.execPath, [join(ROOT, file)], {
      cwd: ROOT,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    running.set(name, child)
    let isReady = false
    const complaints = []

    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith(`${ready} {`)) {
        isReady = true
        resolve(JSON.parse(line.slice(ready.length + 1)))
      } else if (!isReady) onProgress(line)
      else if (!stopping) say(`${faint(`${name} │`)} ${line}`)
    })
    createInterface({ input: child.stderr }).on('line', (line) => {
      // The reason for an exit is printed at the end. Other lines, such as a store it waits for, are printed immediately.
      if (!isReady && line.startsWith('trailmark: ')) complaints.push(line)
      else warn(`${faint(`${name} │`)} ${line}`)
    })
    child.on('error', reject)
    // Not `exit`, because the last output may still be in the pipe then.
    child.on('close', (code, signal) => {
      if (stopping) return
      if (!isReady)
        return reject(
          new Error(
            complaints.join('\n') || `The ${name} ended before it was ready (${signal ?? `exit code ${code}`}).`,
          ),
        )
      warn(red(`The ${name} has ended unexpectedly (${signal ?? `exit code ${code}`}). Stopping everything.`))
      void stopAll(1)
    })
  })

// ── Output ────────────────────────────────────────────────────────────────────────────────────────────────────

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

/** Returns a shell expression that reads the key without showing it, from its file or from the environment. */
const keyInShell = (keyFile) => (keyFile ? `$(cat ${quoted(shortPath(keyFile))})` : '$TRAILMARK_PERSONAL_API_KEY')

const shortPath = (path) => {
  const fromHere = relative(process.cwd(), path)
  return fromHere && !fromHere.startsWith('..') ? fromHere : path
}

const aWeekAgo = () => new Date(Date.now() - 6 * 86_400_000).toISOString().slice(0, 10)

/** Prints how to pin the release, if there is one. Only `npm run build` writes a release. */
const announceRelease = (service) => {
  const manifest = join(ROOT, 'dist/release.json')
  if (!existsSync(manifest)) return
  const { version, files } = JSON.parse(readFileSync(manifest, 'utf8'))
  say(`  ${bold('Or pin this release')} ${faint('see docs/operate/security.md before an upgrade')}`)
  say()
  say(
    `<script src="${service.url}/static/${version}/analytics.js" integrity="${files['analytics.js'].integrity}" crossorigin="anonymous"></script>`,
  )
  say()
}

const announce = async ({ service, shop, began }) => {
  const { shortScriptTag } = await import('../examples/snippet/scriptTag.mjs')
  const row = (name, value, note = '') => say(`  ${faint(name.padEnd(16))}${value}${note && faint(`  ${note}`)}`)
  say()
  say(`  ${bold('Trailmark is running')} ${faint(`after ${seconds(began)}`)}`)
  say()
  row('Demo shop', bold(amber(shop.url)), 'open this first; the panel at the bottom right shows each event')
  row('Results', `${shop.url}/results`)
  row('Console', service.console.link ?? service.console.problem, service.console.link && 'this link signs in once')
  row('Service', service.url)
  row('Project token', service.token)
  row(
    'API key',
    service.keyFile ? shortPath(service.keyFile) : 'TRAILMARK_PERSONAL_API_KEY',
    service.keyFile ? 'a file that only you can read' : 'from your environment',
  )
  say()
  say(`  ${bold('Put this into the <head> of a page')}`)
  say()
  say(shortScriptTag({ token: service.token, url: service.url }))
  say()
  announceRelease(service)
  say(`  ${bold('Run an endpoint')}`)
  say()
  say(
    `curl -s ${service.url}/api/projects/${service.projectId}/endpoints/shop_top_pages/run -H "Authorization: Bearer ${keyInShell(service.keyFile)}" -H 'Content-Type: application/json' -d '${JSON.stringify({ variables: { shop_since: aWeekAgo() } })}'`,
  )
  say()
  say(faint('  Ctrl-C stops everything.'))
  say()
}

// The port after the service's, or any free port if the service uses any free port.
const demoPort = () => {
  if (process.env.TRAILMARK_DEMO_PORT) return process.env.TRAILMARK_DEMO_PORT
  const servicePort = Number(process.env.TRAILMARK_PORT || 8000)
  return String(servicePort > 0 && servicePort < 65_535 ? servicePort + 1 : 0)
}

const startService = async () => {
  // Another build may have failed meanwhile.
  if (stopping) return undefined
  const service = await run({
    name: 'service',
    file: 'service/dist/main.js',
    ready: 'trailmark ready',
    // Otherwise, logged requests of the demo shop would appear within the startup message.
    env: { TRAILMARK_LOG_LEVEL: process.env.TRAILMARK_LOG_LEVEL ?? 'warn' },
    // Skips the service's own startup message, which is indented. `announce` prints another one.
    onProgress: (line) => line.trim() && !line.startsWith(' ') && say(`${faint('…')} ${line}`),
  })
  say(`${green('✓')} The service is ready`)
  return service
}

const start = async () => {
  const began = Date.now()
  const service = await buildAndStart(startService)

  const shop = await run({
    name: 'shop',
    file: 'examples/shop/server.mjs',
    ready: 'shop ready',
    env: {
      TRAILMARK_DEMO_PORT: demoPort(),
      TRAILMARK_URL: service.url,
      TRAILMARK_PROJECT_TOKEN: service.token,
      TRAILMARK_PROJECT_ID: String(service.projectId),
      ...(service.keyFile ? { TRAILMARK_KEY_FILE: service.keyFile, TRAILMARK_PERSONAL_API_KEY: '' } : {}),
    },
    onProgress: () => {},
  })
  say(`${green('✓')} The demo shop is ready`)
  await announce({ service, shop, began })
}

/** `npm run dev`: builds what is out of date, and runs `trailmark dev` with the arguments. */
const startDev = async () => {
  await buildAndStart(() => {})
  // In a separate process group, so that Ctrl-C reaches only this process, which stops it.
  const args = [join(ROOT, 'service/dist/main.js'), 'dev', ...process.argv.slice(3)]
  const child = spawn(process.execPath, args, { stdio: 'inherit', detached: true })
  running.set('service', child)
  // Ends with the child's exit code, or with 1 if a signal ended it.
  child.on('exit', (code) => process.exit(code ?? 1))
}

checkNode()
checkPackages()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal)
const begin = process.argv[2] === 'dev' ? startDev : start
begin().catch((error) => {
  if (stopping) return
  warn(red(error.message))
  void stopAll(1)
})
