import { execFile, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const MAIN = fileURLToPath(new URL('../../service/dist/main.js', import.meta.url))
const READY = 'trailmark ready '

const between = (text, before, after) => text.split(before)[1].split(after)[0]

// User and kernel time of all threads. The kernel counts in hundredths of a second.
const cpuMicroseconds = async (pid) => {
  const [user, kernel] = (await readFile(`/proc/${pid}/stat`, 'utf8'))
    .split(') ')
    .at(-1)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + kernel) * 10_000
}

// Bytes of a process in memory. The kernel can drop pages of files, such as the engine's library, and read them again.
const residentBytes = async (pid) => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const of = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) * 1_024
  return { all: of('VmRSS'), anonymous: of('RssAnon'), files: of('RssFile') + of('RssShmem') }
}

const NODE = realpathSync(process.execPath)

/** Returns the bytes of Node's own file that a process has in memory. Processes share them. */
const nodeBytes = async (pid) => {
  const maps = (await readFile(`/proc/${pid}/smaps`, 'utf8')).split(/\n(?=[\da-f]+-[\da-f]+ )/)
  return maps
    .filter((map) => map.slice(0, map.indexOf('\n')).endsWith(NODE))
    .reduce((sum, map) => sum + Number(/\nRss:\s+(\d+)/.exec(map)[1]) * 1_024, 0)
}

/** Starts the built service with an empty data folder, limited to `cores` cores. `env`: additional variables. */
export const startService = async ({ cores, env = {} }) => {
  const data = await mkdtemp(join(tmpdir(), 'trailmark-bench-'))
  const command = [process.execPath, MAIN]
  const [program, ...args] = cpus().length > cores ? ['taskset', '-c', `0-${cores - 1}`, ...command] : command
  const clean = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TRAILMARK_|CLICKHOUSE_)/.test(name)),
  )
  const child = spawn(program, args, {
    env: { ...clean, TRAILMARK_PORT: '0', TRAILMARK_DATA: data, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise((done) => child.once('exit', done))
  const { url, token, projectId, keyFile } = await new Promise((done, failed) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const line = output
        .split('\n')
        .slice(0, -1)
        .find((each) => each.startsWith(READY))
      if (line) done(JSON.parse(line.slice(READY.length)))
    })
    void ended.then((code) => failed(new Error(`The service exited with code ${code} before it was ready.`)))
  })
  const key = (await readFile(keyFile, 'utf8')).trim()
  const config = await readFile(join(data, 'engine', 'config.xml'), 'utf8')
  const [enginePid] = (await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8'))
    .trim()
    .split(' ')
    .map(Number)

  return {
    url,
    token,
    api: async (path, body) => {
      const response = await fetch(`${url}/api/projects/${projectId}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`POST ${path} failed with status ${response.status}: ${await response.text()}`)
      return response.json()
    },
    /** Queries the engine directly, as the service's writer user. */
    engine: async (query, { body = '', settings = {} } = {}) => {
      const parameters = new URLSearchParams({
        user: 'writer',
        password: between(between(config, '<writer>', '</writer>'), '<password>', '<'),
        query,
        ...settings,
      })
      const response = await fetch(`http://127.0.0.1:${between(config, '<http_port>', '<')}/?${parameters}`, {
        method: 'POST',
        headers: { 'x-engine-key': between(config, '<x-engine-key>', '<') },
        body,
      })
      const text = await response.text()
      if (!response.ok) throw new Error(text)
      return text
    },
    /** Returns the resident bytes of the service and its engine: all, anonymous ones and those of files. */
    memory: async () => ({ service: await residentBytes(child.pid), engine: await residentBytes(enginePid) }),
    /** Returns the bytes of Node's own file that the engine shares with the service. `memory` counts them for both. */
    sharedBytes: () => nodeBytes(enginePid),
    /** Returns the CPU time of the service, its engine and this process, in µs. */
    cpu: async () => ({
      service: await cpuMicroseconds(child.pid),
      engine: await cpuMicroseconds(enginePid),
      load: await cpuMicroseconds(process.pid),
    }),
    /** Runs a `trailmark` command on this service's data and returns its JSON output. */
    trailmark: async (...words) => {
      const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...words, '--json'], {
        env: { ...clean, TRAILMARK_DATA: data },
      })
      return JSON.parse(stdout)
    },
    /** Kills the service. `stop` removes its data. */
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}
