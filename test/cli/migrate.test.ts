/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from '../../src/cli/commands/migrate'
import { maskSource } from '../../src/cli/migrate/mask'
import { migratePosthog } from '../../src/cli/migrate/posthog'

const OURS = { host: 'https://events.example.com', token: 'phc_ours' }

describe('code', () => {
  test.each([
    [`import posthog from 'posthog-js'`, `import { posthog } from 'trailmark'`],
    [`import ph from "posthog-js"`, `import { posthog as ph } from "trailmark"`],
    [
      `import posthog, { type PostHog, PostHogConfig } from 'posthog-js'`,
      `import { posthog, type PostHog, PostHogConfig } from 'trailmark'`,
    ],
    [`import type { Properties } from 'posthog-js'`, `import type { Properties } from 'trailmark'`],
    [`const posthog = require('posthog-js').default`, `const { posthog } = require('trailmark')`],
    [
      `import { PostHogProvider, usePostHog as use } from 'posthog-js/react'
const App = () => <PostHogProvider apiKey="a" options={{}}><p>Don't</p></PostHogProvider>`,
      `import { TrailmarkProvider, useTrailmark as use } from 'trailmark/react'
const App = () => <TrailmarkProvider token="a" options={{}}><p>Don't</p></TrailmarkProvider>`,
    ],
    [
      `import { usePostHog } from '@posthog/react'\nconst Button = () => { const a = usePostHog(); a.capture('x') }`,
      `import { useTrailmark } from 'trailmark/react'\nconst Button = () => { const a = useTrailmark(); a.capture('x') }`,
    ],
    [
      `import posthog from 'posthog-js'\nposthog.init('phc_theirs', { api_host: 'https://us.i.posthog.com', defaults: '2026-01-30' })`,
      `import { posthog } from 'trailmark'\nposthog.init('phc_ours', { api_host: 'https://events.example.com', defaults: '2026-01-30' })`,
    ],
    [
      `<script>!function(t,e){}(document,window.posthog||[]);posthog.init('phc_theirs',{api_host:'https://eu.i.posthog.com'})</script>`,
      `<script>!function(t,e){}(document,window.posthog||[]);posthog.init('phc_ours',{api_host:'https://events.example.com'})</script>`,
    ],
  ])('%s', (before, after) => {
    expect(migratePosthog(before, OURS)!.code).toBe(after)
    // A second run finds nothing to change.
    expect(migratePosthog(after, OURS)?.code ?? after).toBe(after)
  })

  test.each([
    `// import posthog from 'posthog-js'`,
    `const text = "import posthog from 'posthog-js'"`,
    'const text = `posthog.init(${1})`',
    `const other = 1`,
  ])('%s is left alone', (source) => {
    expect(migratePosthog(source, OURS)).toBeUndefined()
  })
})

test('the report names lines, differences and what cannot be changed', () => {
  const source = `import posthog from 'posthog-js'
posthog.init(import.meta.env.VITE_KEY, {
  api_host: 'https://us.i.posthog.com',
  // 'capture_pageleave': false
  asset_host: 'https://cdn.example.com',
  "capture_dead_clicks": true,
  ...more,
})
posthog.captureLog('x')
posthog.capture('a', { captureLog: '}' })
posthog.capture('b')
posthog.featureFlags.override({})
posthog.frobnicate()
const lazy = import('posthog-js/dist/recorder')
`
  const { findings, code } = migratePosthog(source)!
  expect(findings.map(({ kind, line, name }) => `${line} ${kind} ${name}`)).toEqual([
    '2 todo token',
    '3 todo api_host',
    '5 todo asset_host',
    '6 differs capture_dead_clicks',
    '7 todo init',
    '9 todo posthog.captureLog',
    '10 differs posthog.capture',
    '12 differs posthog.featureFlags.override',
    '13 todo posthog.frobnicate',
    '14 todo posthog-js/dist/recorder',
  ])
  expect(findings.find(({ name }) => name === 'posthog.captureLog')!.message).toBe('Other products.')
  expect(code).toBe(source.replace("import posthog from 'posthog-js'", "import { posthog } from 'trailmark'"))
})

test('masked code keeps positions, and only code', () => {
  const source = 'a("x") /* b */ `c ${d("e")} f` // g\nh = /i"/ / j'
  const masked = maskSource(source)
  expect(masked).toHaveLength(source.length)
  expect(masked.replace(/\s+/g, ' ')).toBe('a( ) d( )} h = / j')
})

describe('the command', () => {
  let folder: string
  const files = {
    'package.json': '{ "dependencies": { "posthog-js": "^1.0.0" } }\n',
    'src/main.js': "import posthog from 'posthog-js'\nposthog.captureLog('x')\n",
    'node_modules/a/index.js': "import posthog from 'posthog-js'\n",
  }
  const read = (path: string) => readFileSync(join(folder, path), 'utf8')
  const call = async (...args: string[]) => {
    const lines: string[] = []
    const io = { out: (line: string) => lines.push(line), err: jest.fn(), cwd: folder, env: { CI: '1' } }
    return { code: await run(['posthog-js', ...args], io), text: lines.join('\n') }
  }
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'trailmark-migrate-'))
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test('shows the difference, and writes only if asked to', async () => {
    const shown = await call()
    expect(shown.text).toContain(`-import posthog from 'posthog-js'\n+import { posthog } from 'trailmark'`)
    expect(shown.text).toContain('src/main.js:2  posthog.captureLog: Other products.')
    expect(shown.text).toContain('npm uninstall posthog-js')
    expect(shown.text).not.toContain('node_modules')
    expect(read('src/main.js')).toBe(files['src/main.js'])
    const written = JSON.parse((await call('--write', '--json')).text) as Record<string, unknown>
    expect(written).toMatchObject({ written: true, files: ['src/main.js'] })
    expect(read('src/main.js')).toContain("from 'trailmark'")
    expect(read('node_modules/a/index.js')).toBe(files['node_modules/a/index.js'])
    expect(JSON.parse((await call('--json')).text)).toMatchObject({ files: [] })
  })

  test('refuses to mix its changes with uncommitted ones', async () => {
    execFileSync('git', ['init', '-q'], { cwd: folder })
    await expect(call('--write')).rejects.toThrow(/pass --ignore-git-changes/)
    expect((await call('--write', '--ignore-git-changes')).code).toBe(0)
  })
})
