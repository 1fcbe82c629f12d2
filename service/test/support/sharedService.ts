import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { request } from './api.ts'
import { trailmarkJson } from './cli.ts'
import { until } from './engine.ts'
import { findReady, MAIN, type RunningService, serviceEnv, startService } from './startService.ts'
import { WORKER_FOLDER } from './workerFolder.ts'

/** A project of a service that other test files use too. `stop` leaves the service to them. */
export type SharedService = Pick<RunningService, 'url' | 'token' | 'key' | 'projectId' | 'data' | 'output' | 'stop'>

const DATA = join(WORKER_FOLDER, 'data')
const OUTPUT = join(WORKER_FOLDER, 'output')
const SHARED = join(WORKER_FOLDER, 'shared.json')

// Standard input is a pipe from the process of the test runner, and closes when that ends in any way.
const RUN_UNTIL_INPUT_ENDS = '"$@" >"$OUTPUT" 2>&1 & service=$!; read _; kill $service; wait $service; rm -rf "$FOLDER"'

interface Shared {
  readonly url: string
  /** Key for all projects. */
  readonly operatorKey: string
}

const output = () => readFileSync(OUTPUT, 'utf8')

const start = async (): Promise<Shared> => {
  rmSync(WORKER_FOLDER, { recursive: true, force: true })
  mkdirSync(DATA, { recursive: true })
  const child = spawn('sh', ['-c', RUN_UNTIL_INPUT_ENDS, 'sh', process.execPath, MAIN], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true, // Ctrl-C in a terminal ends the test runner, and that ends the service
    env: { ...serviceEnv(DATA), OUTPUT, FOLDER: WORKER_FOLDER },
  })
  child.unref()
  ;(child.stdin as Socket).unref()
  writeFileSync(OUTPUT, '')
  await until(() => {
    if (child.exitCode !== null) throw new Error(`The shared service ended before it was ready:\n${output()}`)
    return findReady(output()) !== undefined
  })
  const key = await trailmarkJson(DATA, 'key', 'create', 'test files', '--scopes', 'all', '--all-projects')
  const shared = { url: findReady(output())!.url, operatorKey: key.value as string }
  writeFileSync(SHARED, JSON.stringify(shared))
  return shared
}

const isUp = ({ url }: Shared) =>
  fetch(`${url}/_health`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Returns the service of this process. A second file of tests uses the service of the first. */
const find = async (): Promise<Shared> => {
  const known = existsSync(SHARED) ? (JSON.parse(readFileSync(SHARED, 'utf8')) as Shared) : undefined
  return known && (await isUp(known)) ? known : start()
}

/**
 * Returns a new project of a service with default settings, and a key with all scopes for it. Test files of the same
 * worker share the service, so they may not stop it or depend on anything outside of their projects.
 */
export const sharedService = async (): Promise<SharedService> => {
  // A cluster belongs to one file.
  if (process.env.TEST_STORE) return startService()
  const { url, operatorKey } = await find()
  const create = async (path: string, body: object): Promise<any> => {
    const reply = await request(`${url}/api/${path}/`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (reply.status !== 201) throw new Error(`POST /api/${path}/ failed: ${JSON.stringify(reply.body)}`)
    return reply.body
  }
  const { id, api_token: token } = await create('projects', { name: 'Project of a test file' })
  const { value: key } = await create('personal_api_keys', { label: 'tests', scopes: ['*'], scoped_teams: [id] })
  return { url, token, key, projectId: id, data: DATA, output, stop: async () => 0 }
}
