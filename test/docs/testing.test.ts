/** @jest-environment node */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { read, ROOT } from '../support/markdown'

const GUIDE = read('docs/guides/testing.md')
const blockOf = (name: string) => new RegExp(`^\`\`\`(?:ts|js) ${name}\\n([^]*?)^\`\`\``, 'm').exec(GUIDE)![1]!

// Jest and Playwright run these files.
test.each([
  ['checkout.ts', 'test/docs/testing/checkout.ts'],
  ['checkout.test.ts', 'test/docs/testing/checkout.test.ts'],
])('%s of the guide is a test that runs', (name, file) => {
  expect(blockOf(name)).toBe(read(file))
})

test('checkout.spec.ts of the guide is a test that runs', () => {
  expect(read('e2e/scenarios/testingGuide.spec.ts')).toContain(`lines.\n${blockOf('checkout.spec.ts')}// The site`)
})

test('collector.mjs of the guide prints the event', async () => {
  const folder = mkdtempSync(join(ROOT, 'test/docs/testing/run-'))
  try {
    const file = join(folder, 'collector.mjs')
    writeFileSync(file, blockOf('collector.mjs'))
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: ROOT })
    expect(stdout).toBe('{ amount: 42 } []\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the options of trailmark dev are those of its help', () => {
  const [, usage = ''] = /trailmark dev (.*)/.exec(read('service/src/main.ts'))!
  const inGuide = new Set([...GUIDE.matchAll(/--[a-z]+/g)].map(([option]) => option))
  expect([...inGuide].sort()).toEqual([...usage.matchAll(/--[a-z]+/g)].map(([option]) => option).sort())
  expect(GUIDE).toContain(/TOKEN = '(.+)'/.exec(read('service/src/cli/dev.ts'))![1])
  expect(GUIDE).toContain(/KEY = '(.+)'/.exec(read('service/src/cli/dev.ts'))![1])
})
