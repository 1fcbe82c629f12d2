import { evaluateFlags, type Flag } from '../../src/flags/evaluate.ts'
import { createLocalEvaluation } from '../../src/flags/localEvaluation.ts'
import { OPERATORS } from '../../src/flags/operators.ts'
import { loadSubpath } from '../support/serverSdk.ts'

// `trailmark/server` evaluates flags by their definitions. It may leave a flag to the service, but never differ from it.

const { evaluateLocally } = loadSubpath('server/local')

const WANTED = [
  'a', 'A', '', ' ', '0', '10', 9, -1, 1.5, true, false, ['a', 'b', 3], ['x'], 'b', 'ß', 'İ',
  '^a.c$', 'a+b', '(a+)+$', '(?i)a', '\\d{2}', '\\s', '\\p{L}', '[[:alpha:]]', 'a|b', '.', '^$', 'a{1,2}b*', '\\bA\\b', '[^a]', 'é',
  '2026-01-31', '2026-01-31T10:00:00Z', '2026-01-31 10:00', '2026-01-31T10:00:00+0200', '-7d', '3h', '1769817600',
  '1.2.3', 'v1.2', '2', '1.2.*', '1.2.3-beta', '0.0.1',
] // prettier-ignore
const ACTUAL = [
  ...WANTED, null, undefined, { a: 1 }, [], 'abc', 'aab', 'xAx A', '😀', 'line\nbreak', ' 12 ', '1e3', 1769817600, 1769817600000,
  '2026-02-30', '2025-12-31', '2026-01-31T12:00:00', '1.10.0', '10.0.0', 'Infinity', 12, '\u00a0', '\v',
] // prettier-ignore
const NOW = Date.parse('2026-02-03T00:00:00Z')

const flagOf = (id: number, operator: string, value: unknown): Flag => ({
  id,
  key: `flag-${id}`,
  version: 1,
  name: '',
  isActive: true,
  contexts: [],
  filters: { groups: [{ properties: [{ key: 'p', type: 'person', operator, value }] }] },
})

/** Flags of all operators and values that the service accepts. */
const FLAGS = new Map(
  Object.entries(OPERATORS)
    .flatMap(([operator, { make }]) => WANTED.filter((value) => make(value)).map((value) => [operator, value] as const))
    .map(([operator, value], id) => [`flag-${id}`, flagOf(id, operator, value)]),
)

test('local evaluation has the result of the service, or none', async () => {
  const definitions = { byKey: () => Promise.resolve(FLAGS) }
  const groupTypes = { list: () => Promise.resolve([]) }
  const { flags } = await createLocalEvaluation({ definitions, metadata: { groupTypes } as never })(1)
  // As they are sent.
  const sent = JSON.parse(JSON.stringify(flags)) as { key: string }[]
  const known = { flags: new Map(sent.map((flag) => [flag.key, flag])), groupTypes: {} }
  const differences: unknown[] = []
  let decided = 0
  for (const actual of ACTUAL) {
    const personProperties = actual === undefined ? {} : { p: actual }
    const local = await evaluateLocally(known, [...FLAGS.keys()], 'ada', { personProperties })
    const subject = { distinctId: 'ada', groups: {}, personProperties, groupProperties: {}, now: NOW }
    for (const { key, enabled } of await evaluateFlags(FLAGS, [...FLAGS.values()], subject)) {
      const found = local.get(key)
      if (!found) continue
      decided += 1
      if (found.value !== enabled)
        differences.push({ actual, ...FLAGS.get(key)!.filters.groups[0]!.properties![0], enabled })
    }
  }
  expect(differences).toEqual([])
  expect(decided / (FLAGS.size * ACTUAL.length)).toBeGreaterThan(0.6)
})
