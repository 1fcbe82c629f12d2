/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'

const ROOT = resolve(__dirname, '..')
const run = (command: string, ...args: string[]) =>
  execFileSync('npx', [command, ...args], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
const BUDGETS = JSON.parse(readFileSync(resolve(ROOT, 'budgets.json'), 'utf8')) as Record<string, number>

test.each(Object.entries(BUDGETS))('%s is at most %i bytes gzipped', (file, budget) => {
  expect(gzipSync(readFileSync(resolve(ROOT, file)), { level: 9 }).length).toBeLessThanOrEqual(budget)
})

test.each(Object.keys(BUDGETS))(
  '%s has no look-behind, for which Safari before 16.4 refuses the whole script',
  (file) => {
    expect(readFileSync(resolve(ROOT, file), 'utf8')).not.toMatch(/\(\?<[=!]/)
  },
)

test('publint finds nothing', () => {
  expect(run('publint', '--strict')).toContain('All good!')
}, 120_000)

test('attw finds nothing', () => {
  expect(JSON.parse(run('attw', '--pack', '.', '--format', 'json')).analysis.problems).toEqual([])
}, 120_000)

test('the npm build makes no script element and knows no address of code', () => {
  for (const build of ['esm/main.js', 'cjs/main.cjs']) {
    const text = readFileSync(resolve(ROOT, 'dist', build), 'utf8')
    expect(text).not.toMatch(/createElement\(['"]script/)
    expect(text).not.toMatch(/https?:\/\/[^\s'"`]+\.js\b/)
  }
})

test('the script build is ASCII, so that a page in any encoding can carry it', () => {
  expect(readFileSync(resolve(ROOT, 'dist/analytics.js'), 'utf8')).not.toMatch(/[^\x00-\x7f]/)
})

test('source maps carry their sources', () => {
  for (const map of ['analytics.js.map', 'esm/main.js.map', 'cjs/main.cjs.map']) {
    const { sourcesContent } = JSON.parse(readFileSync(resolve(ROOT, 'dist', map), 'utf8')) as {
      sourcesContent: (string | null)[]
    }
    expect(sourcesContent.length).toBeGreaterThan(10)
    expect(sourcesContent.every(Boolean)).toBe(true)
  }
})

test.each(['esm/main.js', 'cjs/main.cjs'])('importing %s in Node touches nothing and gives a silent no-op', (build) => {
  const script = `
    const { analytics } = await import('./dist/${build}').then((m) => m.analytics ? m : m.default)
    analytics.init('token', { api_host: 'https://events.example.com' })
    if (analytics.capture('x') !== undefined || analytics.get_distinct_id() !== '') throw new Error('not a no-op')
    console.log('quiet')`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  expect(output.trim()).toBe('quiet')
})
