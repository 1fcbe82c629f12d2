/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const ROOT = resolve(__dirname, '..')
const README = readFileSync(resolve(ROOT, 'README.md'), 'utf8')

test('the README begins with the short script tag, and the guide has the snippet used by the examples', () => {
  const script = `
    import { scriptTag, shortScriptTag } from './examples/snippet/scriptTag.mjs'
    console.log(shortScriptTag({ token: 'YOUR_TOKEN', url: 'http://127.0.0.1:8000' }))
    console.log(scriptTag({ token: 'YOUR_TOKEN', config: { api_host: 'http://127.0.0.1:8000', defaults: '2026-01-30' } }))`
  const tags = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim()
  const [short, ...snippet] = tags.split('\n')
  const guide = readFileSync(resolve(ROOT, 'docs/guides/getting-started.md'), 'utf8')
  expect(README).toContain(short)
  expect(guide).toContain(short)
  expect(guide).toContain(snippet.join('\n'))
})

test('examples/html/index.html contains the snippet used by the examples', () => {
  const script = `import { oneLineSnippet } from './examples/snippet/scriptTag.mjs'; console.log(oneLineSnippet)`
  const snippet = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
  }).trim()
  expect(readFileSync(resolve(ROOT, 'examples/html/index.html'), 'utf8')).toContain(snippet)
})

test('the README contains the test command that CI runs', () => {
  const command = 'npm ci && npm test'
  expect(README).toContain(command)
  expect(readFileSync(resolve(ROOT, '.ci/run'), 'utf8')).toContain(`\n${command}\n`)
})

test.each(
  [...README.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target!).filter((target) => !target.startsWith('http')),
)('the README links to the existing file %s', (target) => {
  expect(() => readFileSync(resolve(ROOT, target))).not.toThrow()
})
