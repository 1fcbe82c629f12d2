import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { trailmarkIn } from '../support/cli.ts'
import { MAIN } from '../support/startService.ts'

interface Line {
  readonly type: string
  readonly url: string
  readonly token: string
  readonly key: string
  readonly projectId: number
  readonly data: string
  readonly event: string
  readonly code: string
  readonly reason: string
}

// The service's parent, which a test ends. The service itself is its child.
const PARENT = `require('node:child_process').spawn(process.execPath, process.argv.slice(1), { stdio: 'inherit' }); setInterval(() => {}, 1e6)`

describe('trailmark dev', () => {
  let parent: ChildProcess
  let output = ''
  const lines = () =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
  const until = async <T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> => {
    for (;;) {
      const found = await look()
      if (found !== undefined) return found
      await new Promise((done) => setTimeout(done, 50))
    }
  }
  let service: Line
  beforeAll(async () => {
    // Stores in the environment must not be used.
    const env = { ...process.env, DATABASE_URL: 'postgres://nobody@localhost:1/none', TRAILMARK_DATA: '/nowhere' }
    parent = spawn(process.execPath, ['-e', PARENT, MAIN, 'dev', '--port', '0', '--json'], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    parent.stdout!.on('data', (chunk) => (output += chunk))
    service = await until(() => lines()[0])
  })
  afterAll(() => parent.kill('SIGKILL'))

  test('is ready with a known token and key, and stores events', async () => {
    expect(service).toMatchObject({ type: 'ready', token: 'tm_dev', key: 'tmk_dev_known_to_everybody' })
    const response = await fetch(`${service.url}/e/`, {
      method: 'POST',
      body: JSON.stringify({
        api_key: service.token,
        batch: [{ event: 'purchase', properties: { distinct_id: 'ada' } }, { event: 'purchase' }],
      }),
    })
    expect(await response.json()).toMatchObject({ status: 1, refused: [{ index: 1, code: 'missing_distinct_id' }] })
    const query = await fetch(`${service.url}/api/projects/${service.projectId}/events/live?limit=10`, {
      headers: { Authorization: `Bearer ${service.key}` },
    })
    const { results } = (await query.json()) as { results: { type: string; event: string }[] }
    expect(results.filter(({ type }) => type === 'event')).toMatchObject([{ event: 'purchase' }])
  })

  test('prints rejected events with the reason, once', async () => {
    const rejected = () => lines().filter(({ type }) => type === 'rejected_event')
    await until(() => rejected()[0])
    await new Promise((done) => setTimeout(done, 1_500))
    expect(rejected()).toMatchObject([{ event: 'purchase', code: 'missing_distinct_id' }])
    expect(rejected()[0]!.reason).toContain('"distinct_id" must be')
  })

  test('stops with its parent, and removes its data', async () => {
    expect(existsSync(service.data)).toBe(true)
    parent.kill('SIGKILL')
    await until(() => (existsSync(service.data) ? undefined : true))
    await expect(fetch(`${service.url}/_health`)).rejects.toThrow('fetch failed')
  })
})

test.each([
  ['an unknown option', ['--prot', '1'], {}, "Unknown option '--prot'"],
  ['an address of other machines', [], { TRAILMARK_HOST: '0.0.0.0' }, 'other machines could reach 0.0.0.0'],
])('trailmark dev refuses %s', async (_, args: string[], env: Record<string, string>, message) => {
  const { code, stderr } = await trailmarkIn(env, 'dev', ...args)
  expect(code).toBe(1)
  expect(stderr).toContain(message)
})
