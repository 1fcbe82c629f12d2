import { execFile, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const MAIN = fileURLToPath(new URL('../../service/dist/main.js', import.meta.url))
const READY = 'trailmark ready '

const between = (text, before, after) => text.split(before)[1].split(after)[0]

// Of user and kernel together, all threads; the kernel counts in hundredths of a second.
const cpuMicroseconds = async (pid) => {
  const [user, kernel] = (await readFile(`/proc/${pid}/stat`, 'utf8'))
    .split(') ')
    .at(-1)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + kernel) * 10_000
}

const residentBytes = async (pid) =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024

/** The built service on data of its own and on `cores` cores, where the machine has more, with `env` besides. */
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
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
      const line = said
        .split('\n')
        .slice(0, -1)
        .find((each) => each.startsWith(READY))
      if (line) done(JSON.parse(line.slice(READY.length)))
    })
    void ended.then((code) => failed(new Error(`The service ended with ${code} before it was ready.`)))
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
      const answer = await fetch(`${url}/api/projects/${projectId}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
      return answer.json()
    },
    /** Asks the engine past the service, as the service's own writer does. */
    engine: async (query, { body = '', settings = {} } = {}) => {
      const parameters = new URLSearchParams({
        user: 'writer',
        password: between(between(config, '<writer>', '</writer>'), '<password>', '<'),
        query,
        ...settings,
      })
      const answer = await fetch(`http://127.0.0.1:${between(config, '<http_port>', '<')}/?${parameters}`, {
        method: 'POST',
        headers: { 'x-engine-key': between(config, '<x-engine-key>', '<') },
        body,
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(text)
      return text
    },
    /** Bytes in memory, of the service and of its engine. */
    memory: async () => ({ service: await residentBytes(child.pid), engine: await residentBytes(enginePid) }),
    /** Microseconds of processor time, of the service, of its engine, and of this process. */
    cpu: async () => ({
      service: await cpuMicroseconds(child.pid),
      engine: await cpuMicroseconds(enginePid),
      load: await cpuMicroseconds(process.pid),
    }),
    /** What a command of `trailmark` answers for this service's data. */
    trailmark: async (...words) => {
      const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...words, '--json'], {
        env: { ...clean, TRAILMARK_DATA: data },
      })
      return JSON.parse(stdout)
    },
    /** Ends the service at once; `stop` removes its data. */
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
