import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { api, countOf, rowsOf } from '../support/api.ts'
import { type SharedService, sharedService } from '../support/sharedService.ts'

// Runs the examples of the guides as a reader would. Those that need a framework run in `npm run test:runtimes`, those of pages in
// test/subpaths/openfeatureWeb.test.ts.

const ROOT = resolve(__dirname, '../../..')

let service: SharedService
beforeAll(async () => {
  service = await sharedService()
  for (const [key, filters] of Object.entries({
    'new-checkout': { groups: [{}], payloads: { true: { steps: 2 } } },
    'button-color': { groups: [{}], multivariate: { variants: [{ key: 'red', rollout_percentage: 100 }] } },
  }))
    expect((await api(service, 'POST', '/feature_flags/', { key, filters })).status).toBe(201)
})
afterAll(() => service.stop())

/** The `js` blocks of a guide, in order. */
const blocksOf = (guide: string) =>
  [...readFileSync(resolve(ROOT, `docs/guides/${guide}.md`), 'utf8').matchAll(/```js\n([^]*?)```/g)].map(
    ([, block]) => block!,
  )

/** Runs an example in a process of its own, where `trailmark/server` is the built package. Returns what it printed. */
const run = (block: string, more = '') =>
  new Promise<string>((done, fail) => {
    const code = `${block}\n${more}`
      .replaceAll('http://127.0.0.1:8000', service.url)
      .replaceAll('YOUR_TOKEN', service.token)
    const env = { ...process.env, TRAILMARK_KEY: service.key }
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: ROOT, env })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
    child.once('close', (status) => (status === 0 ? done(output.trim()) : fail(new Error(output))))
  })

const [script, , worker, lambda, flags, unsent] = blocksOf('server')
const [, openFeature, ofrep] = blocksOf('openfeature')
const [backend, posthogNode] = blocksOf('backends')

test('the scripts of the guides store their event', async () => {
  for (const block of [script!, backend!, posthogNode!]) expect(await run(block)).toBe('')
  expect(await countOf(service, 'invoice paid')).toBe(3)
})

test('the Worker of the guide answers, and stores its event before it ends', async () => {
  const call = `const promises = []
    const response = await worker.fetch(new Request('http://worker/'), {}, { waitUntil: (promise) => promises.push(promise) })
    console.log(await response.text(), await Promise.all(promises))`
  expect(await run(worker!.replace('export default', 'const worker ='), call)).toBe('hello [ true ]')
  expect(await countOf(service, 'page served')).toBe(1)
})

test('the Lambda function of the guide stores its event in each call', async () => {
  const call = `for (const userId of ['ada', 'bea']) console.log(await handler({ userId }))`
  expect(await run(lambda!.replace('export ', ''), call)).toBe('{ statusCode: 202 }\n{ statusCode: 202 }')
  expect(await countOf(service, 'report requested')).toBe(2)
})

test('the flags of the guide have values, and are added to an event', async () => {
  expect(await run(flags!)).toBe('true red { steps: 2 }')
  expect(
    await rowsOf(service, "SELECT properties.`$feature/button-color` FROM events WHERE event = 'checkout opened'"),
  ).toEqual([['red']])
})

test('the example that keeps unsent events runs', async () => {
  expect(await run(unsent!)).toBe('')
})

test('the OpenFeature examples for servers print the variant', async () => {
  for (const block of [openFeature!, ofrep!]) expect(await run(block)).toBe('red')
})

test('the command of the OpenFeature guide prints the flag', async () => {
  const [, command] = /```sh\n(curl[^]*?)```/.exec(readFileSync(resolve(ROOT, 'docs/guides/openfeature.md'), 'utf8'))!
  const child = spawn('bash', [
    '-euc',
    command!
      .replace('http://127.0.0.1:8000', service.url)
      .replace('YOUR_TOKEN', service.token)
      .replace('curl', 'curl -sS --fail-with-body'),
  ])
  let output = ''
  child.stdout.on('data', (text) => (output += text))
  await new Promise((done) => child.once('close', done))
  expect(JSON.parse(output)).toMatchObject({ key: 'new-checkout', value: true })
})
