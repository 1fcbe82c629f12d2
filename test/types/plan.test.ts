/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildSync } from 'esbuild'
import ts from 'typescript'
import ts5 from 'typescript-5'
import { parsePlan } from '../../src/plan/readPlan'
import { toTypes } from '../../src/plan/toTypes'

const ROOT = resolve(__dirname, '../..')
const folder = mkdtempSync(join(tmpdir(), 'trailmark-plan-'))

const PLAN = `
  interface Events {
    purchase: { amount: number; currency?: string }
    'signed up': {}
  }
  interface FeatureFlags { checkout: 'short' | 'long'; beta: boolean }
  interface FeatureFlagPayloads { checkout: { color: string } }
  interface Analytics { extra: number }
`
const declares = (module: string, more = '') => `import '${module}'\ndeclare module '${module}' { ${PLAN} ${more} }\n`

const USES = `
import trailmark, { analytics, posthog, type Events, type Feature, type PlannedEvent } from 'trailmark'
import { createAnalytics, type Analytics } from 'trailmark/core'
import { flags } from 'trailmark/flags'

const part: Feature = flags
interface Purchase { amount: number }
export const uses = (name: string, properties: Record<string, unknown>, purchase: Purchase) => {
  const all: Analytics[] = [trailmark, analytics, posthog, createAnalytics({ features: [part, flags] })]
  for (const each of all) {
    const extra: number = each.extra
    each.capture('purchase', { amount: extra, currency: 'EUR', $set: { plan: 'pro' } }, { send_instantly: true })
    each.capture('purchase', purchase)
    each.capture('signed up')
    each.capture('signed up', null, {})
    // @ts-expect-error the amount is missing
    each.capture('purchase')
    // @ts-expect-error the amount is missing
    each.capture('purchase', { currency: 'EUR' })
    // @ts-expect-error a wrong type
    each.capture('purchase', { amount: '42' })
    // @ts-expect-error a property that the plan does not have
    each.capture('purchase', { amount: 42, curency: 'EUR' })
    // @ts-expect-error a property that the plan does not have
    each.capture('signed up', { plan: 'pro' })

    const value: 'short' | 'long' | false | undefined = each.getFeatureFlag('checkout')
    const isBeta: boolean | undefined = each.getFeatureFlag('beta')
    const color: string | undefined = each.getFeatureFlagPayload('checkout')?.color
    const variant: 'short' | 'long' | undefined = each.getFeatureFlagResult('checkout')?.variant
    // @ts-expect-error no such variant
    void [value === 'shrt', isBeta, color, variant]
  }
  const planned: Events['purchase'] = purchase
  return planned
}
`
const OPEN = `
import { analytics, type PlannedEvent } from 'trailmark'
export const open = (name: string, properties: Record<string, unknown>) => {
  analytics.capture(name, properties)
  analytics.capture('other', { any: [1] })
  const other: boolean | string | undefined = analytics.getFeatureFlag('other')
  const isOn: boolean | undefined = analytics.isFeatureEnabled(name)
  const planned: PlannedEvent = name
  return [other, isOn, planned]
}
`
const STRICT = `
import { analytics } from 'trailmark'
analytics.capture('purchase', { amount: 42 })
analytics.capture('$pageview', { any: 1 })
analytics.getFeatureFlag('checkout')
// @ts-expect-error an event that the plan does not have
analytics.capture('purchse', { amount: 42 })
// @ts-expect-error any name
analytics.capture(location.hash)
// @ts-expect-error a flag that the plan does not have
analytics.isFeatureEnabled('chekout')
`
const FILES = {
  'esm.mts': declares('trailmark'),
  'cjs.cts': declares('trailmark'),
  'core.mts': declares('trailmark/core'),
  'strict.mts': declares('trailmark', 'interface StrictPlan { events: true; flags: true }'),
  'uses.mts': USES,
  'uses.cts': USES,
  'open.mts': OPEN,
  'usesStrictly.mts': STRICT,
}

beforeAll(() => {
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(ROOT, join(folder, 'node_modules/trailmark'))
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text)
})
afterAll(() => rmSync(folder, { recursive: true }))

// Parsing the declarations of the DOM takes most of the time, so the programs share them.
const libraries = new Map<string, ts.SourceFile>()

/** Returns what a compiler reports about the files. `skipDefaultLibCheck` leaves out the compiler's own declarations only. */
const problems = (compiler: typeof ts, resolution: keyof typeof ts.ModuleResolutionKind, files: readonly string[]) => {
  const { ModuleKind, ModuleResolutionKind } = compiler
  const node = { Node16: ModuleKind.Node16, NodeNext: ModuleKind.NodeNext, Bundler: ModuleKind.ESNext } as Record<
    string,
    ts.ModuleKind
  >
  const options: ts.CompilerOptions = {
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
    target: compiler.ScriptTarget.ES2022,
    module: node[resolution] ?? ModuleKind.CommonJS,
    moduleResolution: ModuleResolutionKind[resolution],
    ...(compiler === ts && { ignoreDeprecations: '6.0' }),
    resolveJsonModule: true,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    types: [],
    strict: true,
    noEmit: true,
  }
  const host = compiler.createCompilerHost(options)
  const read = host.getSourceFile
  host.getSourceFile = (file, ...rest) => {
    const key = compiler.version + file
    const source = libraries.get(key) ?? read(file, ...rest)
    if (/\/lib\.[^/]*$/.test(file) && source) libraries.set(key, source)
    return source
  }
  const program = compiler.createProgram(
    files.map((name) => join(folder, name)),
    options,
    host,
  )
  return compiler
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => [file?.fileName, compiler.flattenDiagnosticMessageText(messageText, '\n')])
}

const OLD = ts5 as unknown as typeof ts
test.each([
  ['5.4', 'Node10', 'cjs.cts', OLD],
  ['5.4', 'Node16', 'esm.mts', OLD],
  ['5.4', 'NodeNext', 'core.mts', OLD],
  ['5.4', 'Bundler', 'esm.mts', OLD],
  ['6', 'Node10', 'esm.mts', ts],
  ['6', 'NodeNext', 'cjs.cts', ts],
  ['6', 'Bundler', 'core.mts', ts],
] as const)(
  'a plan holds for all entries (TypeScript %s, %s, declared in %s)',
  (version, resolution, plan, compiler) => {
    expect(compiler.version).toMatch(version)
    expect(problems(compiler, resolution, [plan, 'uses.mts', 'uses.cts', 'open.mts'])).toEqual([])
  },
)

test('without a plan any event may have any properties', () => {
  expect(problems(ts, 'Bundler', ['open.mts'])).toEqual([])
  expect(problems(ts, 'Bundler', ['uses.mts']).length).toBeGreaterThan(10)
})

test('the guide shows what `trailmark types` writes, and its code compiles', () => {
  const guide = readFileSync(join(ROOT, 'docs/guides/typed-events.md'), 'utf8')
  const block = (language: string) => new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(guide)![1]!
  const files = {
    'trailmark.plan.json': block('json'),
    'guide.mts': block('ts types'),
    'guideCode.mts': block('ts code'),
    'guideDevelopment.mts': block('ts development'),
  }
  expect(toTypes(parsePlan(files['trailmark.plan.json']), 'trailmark.plan.json')).toBe(files['guide.mts'])
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  expect(problems(ts, 'Bundler', ['guide.mts', 'guideCode.mts', 'guideDevelopment.mts'])).toEqual([])
})

test('a strict plan allows no other events and flags', () => {
  expect(problems(ts, 'Bundler', ['strict.mts', 'uses.mts', 'usesStrictly.mts'])).toEqual([])
})

test.each(['nodenext', 'bundler'])('a plan holds for all entries (TypeScript 7, %s)', (moduleResolution) => {
  const tsconfig = join(folder, `tsconfig.${moduleResolution}.json`)
  const compilerOptions = {
    lib: ['es2022', 'dom'],
    target: 'es2022',
    module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution,
    moduleResolution,
    skipLibCheck: false,
    skipDefaultLibCheck: true,
    types: [],
    strict: true,
    noEmit: true,
  }
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions, files: ['esm.mts', 'uses.mts', 'uses.cts', 'open.mts'] }))
  const tsc = join(ROOT, 'node_modules/typescript-7/bin/tsc')
  expect(execFileSync(process.execPath, [tsc, '-p', tsconfig], { encoding: 'utf8' })).toBe('')
})

test('a plan adds no byte to a site', () => {
  const build = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    const { outputFiles } = buildSync({
      entryPoints: [join(folder, name)],
      bundle: true,
      minify: true,
      format: 'esm',
      write: false,
    })
    return outputFiles[0]!.text
  }
  const site = `import { analytics } from 'trailmark'\nanalytics.init('token')\nanalytics.capture('purchase', { amount: 42 })`
  const untyped = build('untyped.ts', site)
  expect(untyped.length).toBeGreaterThan(10_000)
  expect(
    build('typed.ts', `import type {} from './esm.mjs'\n${declares('trailmark').replace(/^import.*\n/, '')}${site}`),
  ).toBe(untyped)
})
