/** @jest-environment node */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

// The parts of the benchmark are plain Node modules, so they run in Node here too.
const inNode = (file: string, names: string, expression: string): unknown => {
  const module = pathToFileURL(resolve(__dirname, '../../bench', file)).href
  const script = `import { ${names} } from '${module}'; console.log(JSON.stringify(await (${expression})))`
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }))
}

test.each([
  ['50%', '[3, 1, 2, 10]', 0.5, 2],
  ['99%', 'Array.from({ length: 100 }, (_, n) => 100 - n)', 0.99, 99],
  ['99% of two numbers', '[5, 9]', 0.99, 9],
])('percentile returns the number that %s do not exceed', (_, numbers, share, expected) =>
  expect(inNode('support/statistics.mjs', 'percentile', `percentile(${numbers}, ${share})`)).toBe(expected),
)

test('benchmark callers send requests in parallel, up to their limits', () => {
  const expression = `(async () => {
    let now = 0, most = 0
    const ask = async (turn) => { most = Math.max(most, (now += 1)); await new Promise((done) => setImmediate(done)); now -= 1; return turn }
    const { samples } = await load({ callers: 4, most: 10, seconds: 60, ask })
    return [samples.sort((a, b) => a - b), most]
  })()`
  expect(inNode('support/load.mjs', 'load', expression)).toEqual([[1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 4])
})

const loads = (live: number, materialized: number, cached: number) =>
  [1, 16].flatMap((callers) =>
    Object.entries({ live, materialized, cached }).map(([path, ms]) => ({
      path,
      callers,
      samples: [ms * callers],
      perSecond: 5,
    })),
  )
const query = (name: string, ms: readonly [number, number, number], more: object) => ({
  name,
  loads: loads(...ms),
  defineMs: 7,
  ...more,
})
const compiler = [
  { name: 'a', characters: 9, parseMs: 0.5, bindMs: 0.25, compileMs: 0.25 },
  { name: 'long', characters: 999, parseMs: 90, bindMs: 9, compileMs: 9 },
]

const targetsOf = (sizes: object[]): string[][] => {
  const texts = inNode('endpoints/tables.mjs', 'tables', `tables(${JSON.stringify({ sizes, compiler })})`) as string[]
  return texts[1]!
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim())
        .slice(1),
    )
}

test('a benchmark target is met when the worst query and size meet it', () => {
  const fine = { byHandMs: 10, liveMs: 11, overheadMs: 1 }
  const sizes = [
    { rows: 1e6, questions: [query('a', [11, 2, 1], fine), query('b', [11, 2, 1], fine)] },
    {
      rows: 1e7,
      questions: [query('a', [90, 2, 1], fine), query('b', [90, 4, 2.5], { byHandMs: 10, liveMs: 15, overheadMs: 3 })],
    },
  ]
  const absent = 'not with these sizes'
  expect(targetsOf(sizes)).toEqual([
    ['≤ 2.00', '2.50', '**no**'],
    ['≤ 25.0', '4.00', 'yes'],
    ['≤ 40.0', '–', absent],
    ['≤ 100', '64.0', 'yes'],
    ['≥ 250', '5.00', '**no**'],
    ['≤ 1.25', '2.00', '**no**'],
    ['≤ 1.00', '0.18', 'yes'],
    ['≤ 1.25', '1.10', 'yes'],
    ['≤ 1.15', '1.50', '**no**'],
    ['≤ 0.85', '3.00', '**no**'],
    ['≤ 2.00', '1.00', 'yes'],
  ])
  expect(targetsOf(sizes.slice(0, 1)).map(([, , met]) => met)).toEqual([
    'yes',
    'yes',
    absent,
    'yes',
    '**no**',
    absent,
    'yes',
    'yes',
    absent,
    '**no**',
    'yes',
  ])
})
