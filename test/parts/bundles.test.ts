/** @jest-environment node */
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { BUNDLERS, bundleApps, measureParts, PART_BUDGETS, PARTS } from '../support/parts'

const ROOT = resolve(__dirname, '../..')

/** Code that only this part adds to a bundle, including its extension. */
const MARKERS: Record<string, RegExp> = {
  autocapture: /capture_copied_text\)/,
  bots: /headlesschrome/,
  campaign: /duckduckgo/,
  checks: /YYYY-MM-DD\W+:/,
  clicks: /user-blocking|\$dead_click/,
  consent: /\$opt_in\b/,
  cookies: /dmn_chk_/,
  device: /SamsungBrowser/,
  durable: /getAllKeys/,
  exceptions: /unhandledrejection/,
  flags: /\/flags\/\?v=2/,
  groups: /\$group_type/,
  gzip: /mtime/,
  heatmaps: /\$heatmap_data/,
  pageleaves: /name:\s*["'`]pageleaves/,
  pageviews: /\$prev_pageview_/,
  people: /acts as identify/,
  recording: /trailmark-recording/,
  surveys: /PHSurveyShown/,
  toolbar: /__trailmark_toolbar/,
  vitals: /largest-contentful-paint/,
  workers: /name:\s*["'`]workers/,
}

test('every part has a marker', () => expect(Object.keys(MARKERS)).toEqual(PARTS))

const APPS = [[], ['flags', 'pageviews'], ['clicks', 'gzip'], PARTS]

describe.each(BUNDLERS)('%s', (bundler) => {
  let apps: string[][]
  beforeAll(() => {
    apps = bundleApps(bundler, APPS)
  }, 300_000)

  test.each(APPS.map((parts, index) => [parts.join(', ') || 'no part', parts, index] as const))(
    'an app with %s contains the code of its parts and no others',
    (_, parts, index) => {
      const code = apps[index]!.join('\n')
      expect(PARTS.filter((name) => MARKERS[name]!.test(code))).toEqual(parts)
    },
  )

  test('click detection and compression remain separate files', () => {
    const [app, ...extensions] = apps[APPS.indexOf(PARTS)]!
    expect(app).not.toMatch(/\$dead_click/)
    expect(extensions.some((code) => code.includes('$dead_click'))).toBe(true)
  })
})

test.each(['esbuild', 'vite'])(
  '%s keeps the parentheses that make V8 compile functions on load',
  (bundler) => {
    const code = bundleApps(bundler, [[]])[0]![0]!
    const functions = code.match(/(?:\([^()]*\)|[$\w]+)=>/g)!
    const inParentheses = code.match(/\((?:\([^()]*\)|[$\w]+)=>/g)!
    expect(inParentheses.length).toBeGreaterThan(0.9 * functions.length)
  },
  120_000,
)

test('each part is at most as large as its budget', () => {
  const { all: _, ...sizes } = measureParts()
  expect(Object.entries(sizes).filter(([name, size]) => size > PART_BUDGETS[name]!)).toEqual([])
}, 120_000)

describe('package.json', () => {
  const { exports, typesVersions } = JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, Record<string, Record<string, string>>>
    typesVersions: { '*': Record<string, string[]> }
  }

  test.each(Object.keys(PART_BUDGETS))('exports trailmark/%s with types for import and require', (name) => {
    expect(exports[`./${name}`]).toEqual({
      import: { types: `./dist/esm/parts/${name}.d.ts`, default: `./dist/esm/parts/${name}.js` },
      require: { types: `./dist/cjs/parts/${name}.d.cts`, default: `./dist/cjs/parts/${name}.cjs` },
    })
    const files = Object.values(exports[`./${name}`]!).flatMap((paths) => Object.values(paths))
    expect(files.filter((file) => !existsSync(resolve(ROOT, file)))).toEqual([])
    expect(typesVersions['*'][name]).toEqual([`./dist/cjs/parts/${name}.d.cts`])
  })
})
