import fc from 'fast-check'
import { Matcher } from 're2js'
import { createEvaluator, evaluateFlags, type Flag, type Subject } from '../../src/flags/evaluate.ts'
import type { Condition, Filters } from '../../src/flags/filters.ts'
import { shareOf, VARIANT_SALT } from '../../src/flags/hash.ts'
import { OPERATORS } from '../../src/flags/operators.ts'
import { runSteps } from '../../src/lib/timeSlices.ts'

const NOW = Date.UTC(2026, 10, 21)

const flag = (filters: Filters, more: Partial<Flag> = {}): Flag => ({
  id: 1,
  key: 'beta-feature',
  name: '',
  version: 3,
  isActive: true,
  filters,
  contexts: [],
  ...more,
})
const onIf = (...groups: Condition[]) => flag({ groups })
const subject = (more: Partial<Subject> = {}): Subject => ({
  distinctId: 'user-1',
  groups: {},
  personProperties: {},
  groupProperties: {},
  now: NOW,
  ...more,
})
const evaluate = (wanted: Flag, who: Subject, ...others: Flag[]) =>
  runSteps(createEvaluator(new Map([wanted, ...others].map((each) => [each.key, each])), who).evaluate(wanted))

// Expected values: SHA-1 by OpenSSL, divided in Python.
test.each([
  ['beta-feature', 'user-1', '', 0.726491254926089],
  ['beta-feature', 'user-2', '', 0.696538491674513],
  ['new', 'acme', '', 0.78799735352305],
  ['beta-feature', 'user-1', VARIANT_SALT, 0.145782183342665],
])('hashes the flag %s and identifier %s with salt "%s" to a stable share', (key, identifier, salt, expected) =>
  expect(shareOf(key, identifier, salt)).toBeCloseTo(expected, 12),
)

describe('flag conditions', () => {
  const gold = { key: 'plan', value: ['gold', 'pro'], operator: 'exact', type: 'person' as const }
  const old = { key: 'age', value: 30, operator: 'gte', type: 'person' as const }

  test('require all properties of a condition and report the first condition that matches', () => {
    const wanted = onIf({ properties: [gold, old] }, { properties: [{ ...gold, value: 'free' }] })
    const of = (personProperties: object) =>
      evaluate(wanted, subject({ personProperties: personProperties as Record<string, unknown> }))
    expect(of({ plan: 'gold', age: 36 })).toMatchObject({
      enabled: true,
      reason: { code: 'condition_match', condition_index: 0, description: 'Matched condition set 1' },
    })
    expect(of({ plan: 'free' })).toMatchObject({ enabled: true, reason: { condition_index: 1 } })
    expect(of({ plan: 'gold', age: 20 })).toMatchObject({
      enabled: false,
      reason: { code: 'no_condition_match', condition_index: null },
    })
    expect(of({})).toMatchObject({ enabled: false })
  })

  test('fail only the flags that need properties that could not be loaded', () => {
    const asked = (wanted: Flag, personProperties: Record<string, unknown> = {}) =>
      evaluate(wanted, subject({ personProperties, isIncomplete: true }))
    expect(asked(onIf({ properties: [gold] }))).toMatchObject({
      enabled: false,
      failed: true,
      reason: { code: 'evaluation_error' },
    })
    expect(asked(onIf({ properties: [gold] }), { plan: 'gold' })).toMatchObject({ enabled: true })
    expect(asked(onIf({ properties: [gold] }), { plan: null })).toMatchObject({
      enabled: false,
      reason: { code: 'no_condition_match' },
    })
    expect(asked(onIf({}))).toMatchObject({ enabled: true })
  })

  test('turn a flag without conditions off for everyone', () =>
    expect(evaluate(onIf(), subject())).toMatchObject({ enabled: false, reason: { code: 'no_condition_match' } }))

  test('support a rollout percentage with a reason for persons outside it', () => {
    expect(evaluate(onIf({ rollout_percentage: 0 }), subject())).toMatchObject({
      enabled: false,
      reason: { code: 'out_of_rollout_bound' },
    })
    expect(evaluate(onIf({ rollout_percentage: 0 }, { rollout_percentage: 100 }), subject())).toMatchObject({
      enabled: true,
      reason: { condition_index: 1 },
    })
  })

  test.each([
    ['exact', 'Gold', 'gold', true],
    ['exact', true, 'true', true],
    ['is_not', 'gold', 'free', true],
    ['is_not', 'gold', undefined, true],
    ['icontains', 'OLD', 'gold', true],
    ['not_icontains', 'x', undefined, true],
    ['regex', '^g.ld$', 'gold', true],
    ['regex', '(a+)+$', `${'a'.repeat(5000)}!`, false],
    ['not_regex', '^x', 'gold', true],
    ['gt', 5, '6', true],
    ['gt', 5, 5, false],
    ['gte', '5', 5, true],
    ['lt', 5, undefined, false],
    ['lte', 5, 5, true],
    ['is_set', undefined, 0, true],
    ['is_set', undefined, undefined, false],
    ['is_not_set', undefined, null, true],
    ['is_date_before', '2026-01-01', '2025-12-31', true],
    ['is_date_after', '-30d', '2026-11-01', true],
    ['is_date_after', '-1w', '2026-11-01', false],
    ['semver_gte', '1.2.3', '1.10.0', true],
    ['semver_caret', '1.2.3', '2.0.0', false],
  ])('evaluate %s %p for the value %p to %p', (operator, value, actual, expected) => {
    const wanted = onIf({ properties: [{ key: 'p', operator, value, type: 'person' }] })
    expect(evaluate(wanted, subject({ personProperties: actual === undefined ? {} : { p: actual } })).enabled).toBe(
      expected,
    )
  })

  test('ignore names on Object.prototype as properties', () => {
    expect(
      evaluate(onIf({ properties: [{ key: 'constructor', operator: 'is_set', type: 'person' }] }), subject()).enabled,
    ).toBe(false)
  })
})

describe('group flags', () => {
  const wanted = flag({
    groups: [{ properties: [{ key: 'seats', value: 10, operator: 'gt', type: 'group' }] }],
    aggregation_group_type: 'company',
  })

  test('evaluate properties of the group', () => {
    expect(
      evaluate(wanted, subject({ groups: { company: 'acme' }, groupProperties: { company: { seats: 50 } } })),
    ).toMatchObject({ enabled: true })
    expect(
      evaluate(wanted, subject({ groups: { company: 'acme' }, groupProperties: { company: { seats: 5 } } })),
    ).toMatchObject({ enabled: false })
    expect(evaluate(wanted, subject())).toMatchObject({ enabled: false, reason: { code: 'no_group_type' } })
  })

  test('return one result for all persons of a group', () => {
    const half = flag({ groups: [{ rollout_percentage: 50 }], aggregation_group_type: 'company' })
    const of = (distinctId: string) => evaluate(half, subject({ distinctId, groups: { company: 'acme' } })).enabled
    expect(new Set(['a', 'b', 'c', 'd', 'e', 'f'].map(of)).size).toBe(1)
  })
})

describe('flag variants', () => {
  const filters: Filters = {
    groups: [{ properties: [{ key: 'tester', value: true, type: 'person' }], variant: 'b' }, {}],
    multivariate: {
      variants: [
        { key: 'a', rollout_percentage: 30 },
        { key: 'b', rollout_percentage: 70 },
      ],
    },
    payloads: { a: '{"x":1}', b: [1, 2] },
  }

  test('are assigned by percentage and returned with a JSON payload', () => {
    const found = evaluate(flag(filters), subject())
    expect(['a', 'b']).toContain(found.variant)
    expect(found.metadata).toEqual({
      id: 1,
      version: 3,
      description: null,
      payload: found.variant === 'a' ? '{"x":1}' : '[1,2]',
    })
  })

  test('can be set by a condition', () =>
    expect(evaluate(flag(filters), subject({ personProperties: { tester: true } })).variant).toBe('b'))

  test('are not required: a flag without variants has a payload for "true" and none when off', () => {
    expect(evaluate(flag({ groups: [{}], payloads: { true: '5' } }), subject()).metadata.payload).toBe('5')
    expect(evaluate(flag({ groups: [], payloads: { true: '5' } }), subject()).metadata.payload).toBeNull()
  })
})

describe('flag dependencies', () => {
  const base = flag(
    { groups: [{}], multivariate: { variants: [{ key: 'x', rollout_percentage: 100 }] } },
    { key: 'base' },
  )
  const needs = (value: boolean | string) =>
    onIf({ properties: [{ key: 'base', type: 'flag', operator: 'flag_evaluates_to', value }] })

  test.each([
    [true, true],
    [false, false],
    ['x', true],
    ['y', false],
  ])('on the value %p evaluate to %p', (value, expected) =>
    expect(evaluate(needs(value), subject(), base).enabled).toBe(expected),
  )
  test('treat an inactive or missing flag as false', () => {
    expect(evaluate(needs(false), subject(), { ...base, isActive: false }).enabled).toBe(true)
    expect(evaluate(needs(false), subject()).enabled).toBe(true)
  })
})

test('an invalid flag does not fail other flags', async () => {
  const broken = flag(
    { groups: [{ properties: [{ key: 'p', operator: 'regex', value: '(', type: 'person' }] }] },
    { key: 'broken' },
  )
  const fine = onIf({})
  const found = await evaluateFlags(
    new Map([
      [broken.key, broken],
      [fine.key, fine],
    ]),
    [broken, fine],
    subject({ personProperties: { p: 'x' } }),
  )
  expect(found).toMatchObject([
    { key: 'broken', enabled: false, failed: true, reason: { code: 'evaluation_error' } },
    { enabled: true },
  ])
})

test('flags are evaluated in steps of one property', async () => {
  const property = { key: 'p', operator: 'is_set', type: 'person' } as const
  const isNotMet = { properties: [property, { ...property, operator: 'is_not_set' }] }
  const groups: Condition[] = [isNotMet, isNotMet, { properties: [property] }]
  const flags = ['a', 'b', 'c'].map((key) => flag({ groups }, { key }))
  let reads = 0
  const personProperties = {
    get p() {
      reads += 1
      return 'x'
    },
  }
  const readsBefore: number[] = []
  const next = () => {
    readsBefore.push(reads)
    return Promise.resolve()
  }
  const all = new Map(flags.map((each) => [each.key, each]))
  const found = await evaluateFlags(all, flags, subject({ personProperties }), next)
  expect(found.map(({ key, enabled }) => [key, enabled])).toEqual(flags.map(({ key }) => [key, true]))
  // There is a pause before each read of a property.
  expect([...new Set(readsBefore)]).toEqual(Array.from({ length: 3 * 5 }, (_, index) => index).concat(15))
})

/** Steps of the evaluation that are looked at: several properties. */
const STEPS = 100
/** Characters that one step may search. 500,000 take about 10 ms in the worst case. */
const MAX_SEARCHED = 750_000
/**
 * Counts the characters of the texts in which strings are searched or that are converted to lower case. A character that is
 * compared with an instruction of a pattern counts as ten.
 */
const countSearches = () => {
  let characters = 0
  let max = 0
  const { includes, toLowerCase } = String.prototype
  const { find } = Matcher.prototype
  const searches = [
    jest.spyOn(String.prototype, 'includes').mockImplementation(function (this: string, ...given) {
      characters += this.length
      return includes.apply(this, given)
    }),
    jest.spyOn(String.prototype, 'toLowerCase').mockImplementation(function (this: string) {
      characters += this.length
      return toLowerCase.call(this)
    }),
    jest.spyOn(Matcher.prototype, 'find').mockImplementation(function (this: Matcher, ...given) {
      characters += 10 * this.inputLength() * this.pattern().programSize()
      return find.apply(this, given)
    }),
  ]
  return {
    endStep() {
      max = Math.max(max, characters)
      characters = 0
    },
    stop: () => searches.forEach((each) => each.mockRestore()),
    maxCharacters: () => max,
  }
}

const LETTERS = 'a'.repeat(120_000)
const CASED = 'İ'.repeat(60_000)
test.each<[string, string, () => unknown, string]>([
  ['patterns', 'regex', () => '(a{0,9}){100}$', 'a'.repeat(500)],
  ['patterns that repeat', 'regex', () => 'x*y*z*w*$', 'xyzw'.repeat(800)],
  ['lists of words', 'icontains_multi', () => Array.from({ length: 1000 }, (_, index) => `aaaaaaaab${index}`), LETTERS],
  ['negated lists of words', 'not_icontains_multi', () => ['b', ...Array(999).fill('aaaaaaaab')], LETTERS],
  ['letters that are slow in lower case', 'icontains', () => 'x', CASED],
])(
  'the evaluation of a flag with 100 × 100 conditions leaves the event loop to others: %s',
  async (_, operator, valueOf, text) => {
    // Each condition needs all of its properties to be compared, and the last one decides.
    const value = valueOf()
    const isNegated = !OPERATORS[operator]!.make(value)!(text, NOW)
    const negated = operator.startsWith('not_') ? operator.slice(4) : `not_${operator}`
    const groups = Array.from({ length: 100 }, () => ({
      properties: Array.from({ length: 100 }, (_each, index) => ({
        key: 'p',
        type: 'person' as const,
        value,
        operator: index < 99 === isNegated ? negated : operator,
      })),
    }))
    const wanted = flag({ groups })
    // The evaluation asks before each step whether to pause. This counts the work between two of these calls. Its time would
    // depend on the machine.
    let reads = 0
    let maxReads = 0
    const personProperties = {
      get p() {
        reads += 1
        return text
      },
    }
    let asked = 0
    const work = countSearches()
    const next = () => {
      asked += 1
      maxReads = Math.max(maxReads, reads)
      reads = 0
      work.endStep()
      return asked < STEPS ? undefined : new Promise<void>(() => {})
    }
    void evaluateFlags(new Map([[wanted.key, wanted]]), [wanted], subject({ personProperties }), next)
    work.stop()
    expect(asked).toBe(STEPS)
    expect(maxReads).toBe(1)
    expect(work.maxCharacters()).toBeLessThanOrEqual(MAX_SEARCHED)
  },
)

describe('rollout shares', () => {
  const people = Array.from({ length: 4000 }, (_, index) => `person-${index}`)
  const isIn = (percentage: number, distinctId: string, key = 'f') =>
    evaluate({ ...onIf({ rollout_percentage: percentage }), key }, subject({ distinctId })).enabled

  test.each([1, 10, 33.3, 50, 90])('include about %p percent of persons', (percentage) => {
    const share = (people.filter((each) => isIn(percentage, each)).length / people.length) * 100
    expect(Math.abs(share - percentage)).toBeLessThan(3)
  })

  test('keep included persons when the percentage grows', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.stringMatching(/^[a-z]{1,8}$/),
        fc.float({ min: 0, max: 100, noNaN: true }),
        fc.float({ min: 0, max: 100, noNaN: true }),
        (id, key, one, other) => {
          fc.pre(id.length > 0)
          const [less, more] = [Math.min(one, other), Math.max(one, other)]
          return !isIn(less, id, key) || isIn(more, id, key)
        },
      ),
    )
  })

  test('assign variants by percentage, independent of the rollout', () => {
    const wanted = flag({
      groups: [{ rollout_percentage: 50 }],
      multivariate: {
        variants: [
          { key: 'a', rollout_percentage: 20 },
          { key: 'b', rollout_percentage: 80 },
        ],
      },
    })
    const found = people.map((distinctId) => evaluate(wanted, subject({ distinctId }))).filter(({ enabled }) => enabled)
    const share = found.filter(({ variant }) => variant === 'a').length / found.length
    expect(Math.abs(share - 0.2)).toBeLessThan(0.03)
    expect(found.every(({ variant }) => variant !== null)).toBe(true)
  })
})

describe('an explanation', () => {
  // Every operator here accepts each of these values.
  const value = fc.constantFrom('gold', 'free', 5, 40)
  const property = fc.record({
    key: fc.constantFrom('plan', 'age', 'missing'),
    value,
    operator: fc.constantFrom('exact', 'is_not', 'icontains', 'gt', 'lte', 'is_set', 'is_not_set'),
    type: fc.constantFrom('person' as const, 'group' as const),
  })
  const condition = fc.record({
    properties: fc.array(property, { maxLength: 3 }),
    rollout_percentage: fc.constantFrom(null, 0, 30, 70, 100),
  })

  test('agrees with the evaluation: the first condition that matches decides', () => {
    fc.assert(
      fc.property(
        fc.array(condition, { maxLength: 4 }),
        fc.dictionary(fc.constantFrom('plan', 'age'), fc.option(value)),
        fc.constantFrom(null, 'company', 'team'),
        fc.stringMatching(/^[a-z]{1,8}$/),
        (groups, properties, aggregation_group_type, distinctId) => {
          const wanted = flag({ groups, aggregation_group_type })
          const who = subject({
            distinctId,
            personProperties: properties,
            groups: { company: distinctId },
            groupProperties: { company: properties },
          })
          const evaluation = evaluate(wanted, who)
          const explained = runSteps(createEvaluator(new Map([[wanted.key, wanted]]), who).explain(wanted))
          const first = explained.conditions.findIndex(
            (each) => each.isInRollout && each.properties.every(({ isMet }) => isMet),
          )
          expect(explained.evaluation).toEqual(evaluation)
          expect(explained.conditions).toHaveLength(groups.length)
          expect(evaluation.reason.condition_index).toBe(first === -1 ? null : first)
          if (aggregation_group_type === 'team')
            expect(explained.conditions.every(({ bucket }) => bucket === undefined)).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })
})
