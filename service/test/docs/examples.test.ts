import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { rowsOf } from '../support/api.ts'
import { type RunningService, startService } from '../support/startService.ts'

const ROOT = resolve(__dirname, '../../..')

let service: RunningService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** The `sh` blocks of a page that call the service. */
const shellBlocks = (page: string) =>
  [...readFileSync(resolve(ROOT, page), 'utf8').matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, block]) => block!)
    .filter((block) => block.includes('curl'))

/** Runs a block like a reader, against this test's service, and returns the output of the commands. */
const runShell = (block: string) => {
  const script = block
    .replaceAll('http://127.0.0.1:8000', service.url)
    .replaceAll('YOUR_TOKEN', service.token)
    .replaceAll('$(cat .data/personal_api_key)', service.key)
    .replaceAll('curl ', 'curl -sS --fail-with-body ')
  const { status, stdout, stderr } = spawnSync('bash', ['-euc', script], { encoding: 'utf8' })
  return { status, output: `${stdout}${stderr}` }
}

const [createFlag, askQuestion] = shellBlocks('docs/guides/getting-started.md')

test('the commands of the getting started guide run a query, and can be repeated', async () => {
  for (const _ of ['first', 'second']) {
    const { status, output } = runShell(askQuestion!)
    expect([status, output]).toEqual([0, expect.stringContaining('"columns":["path","times"]')])
  }
})

test('the command of the getting started guide creates a flag, and can be repeated', () => {
  for (const _ of ['first', 'second'])
    expect(runShell(createFlag!)).toMatchObject({ status: 0, output: expect.stringContaining('"key":"new-checkout"') })
})

test('the command of the backend guide stores an event once when repeated', async () => {
  const [send] = shellBlocks('docs/guides/backends.md')
  for (const _ of ['first', 'second']) expect(runShell(send!)).toMatchObject({ status: 0 })
  expect(
    await rowsOf(service, "SELECT properties.amount, distinct_id FROM events WHERE event = 'invoice paid'"),
  ).toEqual([['42', 'ada']])
})
