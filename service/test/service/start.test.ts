import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { api, capture, countOf, event } from '../support/api.ts'
import { trailmark, trailmarkJson } from '../support/cli.ts'
import { childrenOf, engineOf } from '../support/engine.ts'
import { type RunningService, runUntilEnd, startService, temporaryFolder } from '../support/startService.ts'

let data: string

beforeEach(() => {
  data = temporaryFolder()
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

const failing = (env: Record<string, string> = {}) => runUntilEnd({ TRAILMARK_DATA: data, TRAILMARK_PORT: '0', ...env })

test('restarting the service keeps the project, the key and the events', async () => {
  const first = await startService({ data })
  await capture(first, event('kept'))
  expect(await first.stop()).toBe(0)
  const second = await startService({ data })
  try {
    expect([second.token, second.key, second.projectId]).toEqual([first.token, first.key, first.projectId])
    expect(await countOf(second, 'kept')).toBe(1)
  } finally {
    await second.stop()
  }
})

describe('a service on the data folder of its arguments', () => {
  let service: RunningService
  let chosen: string
  beforeAll(async () => {
    chosen = temporaryFolder()
    service = await startService({
      data: join(chosen, 'other'),
      args: ['serve', '--data', chosen, '--small'],
      env: { TRAILMARK_CONSOLE_STATIC: chosen },
    })
  })
  afterAll(async () => {
    await service.stop()
    rmSync(chosen, { recursive: true, force: true })
  })

  test('serve --data sets the data folder and overrides TRAILMARK_DATA', () => {
    expect(existsSync(join(chosen, 'personal_api_key'))).toBe(true)
    expect(existsSync(join(chosen, 'other'))).toBe(false)
  })

  test('serve --small limits the merges of the engine, which returns unused memory soon', async () => {
    const { ask } = engineOf(chosen)
    const settings = await ask(
      'writer',
      `SELECT name, value FROM system.server_settings WHERE name IN ('background_pool_size', 'max_server_memory_usage', 'merges_mutations_memory_usage_soft_limit')
        UNION ALL SELECT name, value FROM system.merge_tree_settings WHERE name IN ('merge_max_block_size_bytes', 'number_of_free_entries_in_pool_to_lower_max_size_of_merge', 'max_parts_to_merge_at_once') ORDER BY name`,
    )
    expect(Object.fromEntries(settings as [string, string][])).toEqual({
      background_pool_size: '2',
      max_server_memory_usage: '512000000',
      merges_mutations_memory_usage_soft_limit: '128000000',
      merge_max_block_size_bytes: '2000000',
      max_parts_to_merge_at_once: '10',
      number_of_free_entries_in_pool_to_lower_max_size_of_merge: '1',
    })
    const [engine] = childrenOf(service.process.pid!)
    expect(readFileSync(`/proc/${engine}/environ`, 'utf8').split('\0')).toContain(
      'JE_MALLOC_CONF=dirty_decay_ms:500,muzzy_decay_ms:0,narenas:2',
    )
  })

  test('the start output contains the URL, the project and the key file, but not the key', () => {
    expect(service.output()).toContain(`ready at ${service.url}`)
    expect(service.output()).toContain(`Project 1, token ${service.token}`)
    expect(service.output()).toContain(join(chosen, 'personal_api_key'))
    expect(service.output()).not.toContain(service.key)
    const ready = { url: service.url, projectId: 1, token: service.token, keyFile: join(chosen, 'personal_api_key') }
    const console = { problem: 'not built. Run "npm run build".' }
    expect(service.output()).toContain(`  Console: ${console.problem}`)
    expect(service.output().split('\n')).toContain(`trailmark ready ${JSON.stringify({ ...ready, console })}`)
  })

  test('files of the data folder are readable only by their owner', () => {
    const filesIn = (folder: string): string[] =>
      readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [] : [join(folder, entry.name)],
      )
    const files = [...filesIn(chosen), ...filesIn(join(chosen, 'engine'))]
    expect(files.length).toBeGreaterThan(3)
    expect(files.filter((file) => statSync(file).mode & 0o077)).toEqual([])
  })

  test('the engine rejects connections without its key and password', async () => {
    const engine = engineOf(chosen)
    const asDefault = await fetch(`${engine.url}/?query=SELECT+1`)
    expect(asDefault.status).toBe(404)
    const key = /<x-engine-key>(.*?)</.exec(readFileSync(join(chosen, 'engine/config.xml'), 'utf8'))![1]!
    const withKey = await fetch(`${engine.url}/?query=SELECT+count()+FROM+db.events`, {
      headers: { 'x-engine-key': key },
    })
    expect(await withKey.text()).toContain('Not enough privileges')
    expect(withKey.ok).toBe(false)
  })

  test('the service exits if another process has the data folder open', async () => {
    const { code, stderr } = await failing({ TRAILMARK_DATA: chosen })
    expect([code, stderr]).toEqual([
      1,
      `trailmark: the data folder ${chosen} is open in another Trailmark process: stop that one, or set TRAILMARK_DATA to another folder.\n`,
    ])
    // The first process is not affected.
    expect((await capture(service, event('undisturbed'))).status).toBe(200)
  })
})

const rotateToken = (service: RunningService) => api(service, 'POST', '/rotate_token/')

test('the token and key can come from the environment, and a key removed from it is rejected', async () => {
  const env = { TRAILMARK_PROJECT_TOKEN: 'my-token', TRAILMARK_PERSONAL_API_KEY: 'my-own-personal-key' }
  const first = await startService({ data, env })
  expect(first.token).toBe('my-token')
  expect(await countOf(first, 'nothing')).toBe(0)
  expect(first.output()).not.toContain('my-own-personal-key')
  // Only the environment changes what it sets: the next start would undo a rotation.
  const sentence = 'This token is set by TRAILMARK_PROJECT_TOKEN. Change it there and restart the service.'
  expect(await rotateToken(first)).toMatchObject({ status: 400, body: { attr: 'id', detail: sentence } })
  // The command does not have the environment of the service.
  const byCommand = await trailmark(data, 'project', 'rotate-token', '1')
  expect([byCommand.code, byCommand.stderr]).toEqual([1, `trailmark: ${sentence}\n`])
  const other = await trailmarkJson(data, 'project', 'create', 'Other')
  await first.stop()
  expect((await failing({ TRAILMARK_DATA: data, TRAILMARK_PROJECT_TOKEN: other.api_token })).stderr).toBe(
    'trailmark: another project has the token in TRAILMARK_PROJECT_TOKEN, which is for the first project: set another token, or none.\n',
  )
  const second = await startService({ data })
  try {
    expect(second.token).toBe('my-token')
    const { status, body } = await rotateToken(second)
    expect([status, body.api_token]).toEqual([200, expect.stringMatching(/^tm_/)])
    await expect(countOf({ ...second, key: 'my-own-personal-key' }, 'nothing')).rejects.toThrow('401')
    expect(await countOf(second, 'nothing')).toBe(0)
  } finally {
    await second.stop()
  }
})

test('the service exits if the port is in use', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const { code, stderr } = await failing({ TRAILMARK_PORT: String(port) })
  taken.close()
  expect([code, stderr]).toEqual([
    1,
    `trailmark: port ${port} on 127.0.0.1 is in use: stop the other process, or set TRAILMARK_PORT to another port (0: any free one).\n`,
  ])
})

test('the service exits if the data folder cannot be created', async () => {
  const file = join(data, 'file')
  writeFileSync(file, '')
  const { code, stderr } = await failing({ TRAILMARK_DATA: join(file, 'inside') })
  expect(code).toBe(1)
  expect(stderr).toBe(
    `trailmark: cannot write to the data folder ${join(file, 'inside')} (ENOTDIR): set TRAILMARK_DATA to a folder that this user can write to.\n`,
  )
})

// Root can write anywhere.
const asUser = process.getuid?.() === 0 ? test.skip : test
asUser('the service exits if the data folder is not writable', async () => {
  const folder = join(data, 'closed')
  mkdirSync(folder)
  chmodSync(folder, 0o500)
  const { code, stderr } = await failing({ TRAILMARK_DATA: folder })
  expect(code).toBe(1)
  expect(stderr).toContain('set TRAILMARK_DATA to a folder that this user can write to.')
})

test.each([
  [
    'TRAILMARK_PORT',
    'eighty',
    'TRAILMARK_PORT expects a port number from 0 to 65535, where 0 is any free port, got "eighty".',
  ],
  [
    'CLICKHOUSE_URL',
    'nowhere',
    'CLICKHOUSE_URL expects a URL such as http://user:password@host:8123, or several separated by commas, got "nowhere".',
  ],
  [
    'TRAILMARK_HOST',
    '203.0.113.7',
    'this machine does not have the IP address 203.0.113.7: set TRAILMARK_HOST to one of its own, such as 127.0.0.1.',
  ],
])('the service exits for the invalid setting %s=%s', async (name, value, message) => {
  expect(await failing({ [name]: value })).toMatchObject({ code: 1, stderr: `trailmark: ${message}\n` })
})
