import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { send } from './load.mjs'

const MAIN = fileURLToPath(new URL('../../service/dist/main.js', import.meta.url))
const READY = 'trailmark ready '

const between = (text, before, after) => text.split(before)[1].split(after)[0]

/** Queries the engine of the data folder directly, with the credentials in its configuration file. */
const engineIn = (data) => {
  const config = readFileSync(join(data, 'engine', 'config.xml'), 'utf8')
  const password = between(between(config, '<writer>', '</writer>'), '<password>', '<')
  const headers = { 'x-engine-key': between(config, '<x-engine-key>', '<') }
  const url = `http://127.0.0.1:${between(config, '<http_port>', '<')}/`
  const query = async (text, params = {}) => {
    const bound = Object.fromEntries(Object.entries(params).map(([name, value]) => [`param_${name}`, value]))
    const response = await send(
      `${url}?${new URLSearchParams({ user: 'writer', password, default_format: 'JSONCompact', ...bound })}`,
      { headers, body: text },
    )
    if (response.status !== 200) throw new Error(response.text)
    return response
  }
  return {
    /** Resolves with the duration in ms and the response as text. */
    query,
    ask: async (text, params) => {
      const response = await query(text, params)
      return response.text ? JSON.parse(response.text).data : []
    },
  }
}

/** Starts the built service as `npm start` does, on a free port and with an empty data folder. `env`: additional variables. */
export const startService = async (env = {}) => {
  const data = await mkdtemp(join(tmpdir(), 'trailmark-bench-'))
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, TRAILMARK_PORT: '0', TRAILMARK_DATA: data, ...env },
    stdio: ['ignore', 'pipe', 2],
  })
  const ended = new Promise((done) => child.once('exit', done))
  const { url, projectId, token, keyFile } = await new Promise((done, failed) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const ready = output
        .split('\n')
        .slice(0, -1)
        .find((line) => line.startsWith(READY))
      if (ready) done(JSON.parse(ready.slice(READY.length)))
    })
    child.once('exit', (code) => failed(new Error(`The service exited with code ${code}:\n${output}`)))
  })
  const key = readFileSync(keyFile, 'utf8').trim()
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
  }
  return {
    url,
    projectId,
    token,
    /** Personal API key. */
    key,
    engine: engineIn(data),
    /** Sends a request to the API. Resolves with the duration in ms and the parsed body. */
    async api(method, path, body) {
      const { status, text, ms } = await send(`${url}/api/projects/${projectId}${path}`, {
        method,
        headers,
        body: body && JSON.stringify(body),
      })
      if (status >= 300) throw new Error(`${method} ${path} failed with status ${status}: ${text}`)
      return { ms, body: text && JSON.parse(text) }
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
      await rm(data, { recursive: true, force: true })
    },
  }
}
