/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(__dirname, '..')
const README = readFileSync(resolve(ROOT, 'README.md'), 'utf8')

test('the snippet in the README is the one that the examples use', () => {
  const script = `
    import { scriptTag } from './examples/snippet/scriptTag.mjs'
    console.log(scriptTag({ token: 'YOUR_TOKEN', config: { api_host: 'http://127.0.0.1:8000', defaults: '2026-01-30' } }))`
  const tag = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim()
  expect(README).toContain(tag)
})

test('the smallest page has the same snippet', () => {
  const script = `import { oneLineSnippet } from './examples/snippet/scriptTag.mjs'; console.log(oneLineSnippet)`
  const snippet = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim()
  expect(readFileSync(resolve(ROOT, 'examples/html/index.html'), 'utf8')).toContain(snippet)
})

test('the README tells to test what the continuous integration runs', () => {
  const command = 'npm ci && npm test'
  expect(README).toContain(command)
  expect(readFileSync(resolve(ROOT, '.ci/run'), 'utf8')).toContain(`\n${command}\n`)
})

test.each(
  [...README.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target!).filter((target) => !target.startsWith('http')),
)('the README links to %s, which is there', (target) => {
  expect(() => readFileSync(resolve(ROOT, target))).not.toThrow()
})
