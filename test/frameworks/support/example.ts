import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const { FRAMEWORKS_FOLDER = '', FRAMEWORKS_TARBALL = '' } = process.env

export const TOKEN = 'phc_frameworks'

/** The settings that examples read, by the prefixes that their bundlers pass on to browsers. */
const settings = (host: string) =>
  Object.fromEntries(
    ['', 'VITE_', 'NEXT_PUBLIC_', 'NUXT_PUBLIC_', 'PUBLIC_', 'NG_APP_'].flatMap((prefix) => [
      [`${prefix}TRAILMARK_HOST`, host],
      [`${prefix}TRAILMARK_TOKEN`, TOKEN],
    ]),
  )

export const freePort = (): Promise<number> =>
  new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => done(port))
    })
  })

/** Runs a command in a folder and resolves with its output; rejects with the output if it fails. */
const run = (command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<string> =>
  new Promise((done, fail) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.once('close', (code) => {
      if (code === 0) done(output)
      else fail(new Error(`${command} ${args.join(' ')} failed with ${code} in ${cwd}:\n${output.slice(-5000)}`))
    })
  })

const NODE = 24

/** Returns the folder of the program Node for an example, or undefined if this Node is new enough. Installs it from npm once. */
const nodeFor = async (engines: { node?: string } = {}): Promise<string | undefined> => {
  const [, needed = '0'] = /(\d+)/.exec(engines.node ?? '') ?? []
  if (Number(process.versions.node.split('.')[0]) >= Number(needed)) return undefined
  const name = `node-${process.platform}-${process.arch}`
  const cache = join(ROOT, `node_modules/.cache/frameworks/node-${NODE}`)
  const bin = join(cache, 'node_modules', name, 'bin')
  if (!existsSync(join(bin, 'node'))) {
    mkdirSync(cache, { recursive: true })
    writeFileSync(join(cache, 'package.json'), '{"private":true}')
    await run('npm', ['install', '--no-audit', '--no-fund', `${name}@${NODE}`], cache)
  }
  return bin
}

export interface Example {
  folder: string
  /** Port of the collector that the example was built for. */
  collectorPort: number
  /** Starts a script of the example's package.json, which listens on the port in `PORT`. */
  start(script: string): Promise<{ url: string; output(): string; stop(): Promise<void> }>
}

/** Whether a server answers. */
const answers = (url: string) =>
  fetch(url).then(
    ({ status }) => status < 500,
    () => false,
  )

/**
 * Copies an example, installs it with the packed SDK and builds it. Later calls of the same run only return it. Its
 * scripts are `build`, `start` and `dev`; all read `PORT`, and the settings above.
 */
export const prepareExample = async (name: string): Promise<Example> => {
  const folder = join(FRAMEWORKS_FOLDER, name)
  const { engines } = JSON.parse(readFileSync(join(ROOT, 'examples', name, 'package.json'), 'utf8'))
  const bin = await nodeFor(engines)
  const path = [...(bin ? [bin] : []), process.env.PATH].join(delimiter)
  const mark = join(folder, '.prepared')
  const { NODE_ENV: _, ...inherited } = process.env
  const envFor = (collectorPort: number, more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
    ...inherited,
    PATH: path,
    NEXT_TELEMETRY_DISABLED: '1',
    NUXT_TELEMETRY_DISABLED: '1',
    ASTRO_TELEMETRY_DISABLED: '1',
    NG_CLI_ANALYTICS: 'false',
    ...settings(`http://127.0.0.1:${collectorPort}`),
    ...more,
  })
  if (!existsSync(mark)) {
    const collectorPort = await freePort()
    cpSync(join(ROOT, 'examples', name), folder, {
      recursive: true,
      filter: (source) =>
        !/node_modules|\/\.(next|nuxt|output|svelte-kit|astro|angular)|\/(dist|build)$/.test(source.slice(ROOT.length)),
    })
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    manifest.dependencies.trailmark = `file:${FRAMEWORKS_TARBALL}`
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest, null, 2))
    const env = envFor(collectorPort)
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline'], folder, env)
    await run('npm', ['run', 'build'], folder, env)
    writeFileSync(mark, String(collectorPort))
  }
  const collectorPort = Number(readFileSync(mark, 'utf8'))
  return {
    folder,
    collectorPort,
    start: async (script) => {
      const port = await freePort()
      const env = envFor(collectorPort, { PORT: String(port), HOST: '127.0.0.1' })
      // A group of its own, because npm does not pass signals on to what it runs.
      const child = spawn('npm', ['run', script], {
        cwd: folder,
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      let output = ''
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
      const exited = new Promise<void>((done) => child.once('exit', () => done()))
      const url = `http://127.0.0.1:${port}`
      while (!(await answers(url))) {
        if (child.exitCode !== null) throw new Error(`npm run ${script} of ${name} ended:\n${output}`)
        await delay(100)
      }
      return {
        url,
        output: () => output,
        stop: () => {
          process.kill(-child.pid!, 'SIGKILL')
          return exited
        },
      }
    },
  }
}
