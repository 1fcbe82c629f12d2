import { bindVariables } from '../../../src/endpoints/variables/bind.ts'
import { codeNameOf } from '../../../src/endpoints/variables/definitions.ts'
import { ApiError } from '../../../src/lib/apiError.ts'

const needed = (type: string, values: string[] = []) => [{ codeName: 'v', type, values }]
const bind = (type: string, value: unknown, values?: string[]) => bindVariables(needed(type, values), { v: value }).v

test.each([
  ['String', '', { type: 'String', value: '' }],
  ['String', "'; DROP TABLE events --", { type: 'String', value: "'; DROP TABLE events --" }],
  ['Number', 0, { type: 'Float64', value: 0 }],
  ['Number', -1.5, { type: 'Float64', value: -1.5 }],
  ['Boolean', false, { type: 'Bool', value: false }],
  ['Date', '2024-02-29', { type: 'Date', value: '2024-02-29' }],
  ['Date', '2026-01-02T03:04:05Z', { type: "DateTime64(3, 'UTC')", value: '2026-01-02 03:04:05.000' }],
  ['Date', '2026-01-02T03:04:05.678+02:00', { type: "DateTime64(3, 'UTC')", value: '2026-01-02 01:04:05.678' }],
  ['Date', '2026-01-02 03:04', { type: "DateTime64(3, 'UTC')", value: '2026-01-02 03:04:00.000' }],
  ['Date', '2026-01-02T03:04:05-0530', { type: "DateTime64(3, 'UTC')", value: '2026-01-02 08:34:05.000' }],
  ['List', 'a', { type: 'String', value: 'a' }],
  ['List', ['a', 'b'], { type: 'Array(String)', value: ['a', 'b'] }],
])('a %s variable accepts %j', (type, value, expected) => {
  expect(bind(type, value)).toEqual(expected)
})

test.each([
  ['String', 5],
  ['String', ['a']],
  ['String', 'x'.repeat(10_001)],
  ['Number', '5'],
  ['Number', true],
  ['Number', Number.NaN],
  ['Boolean', 'true'],
  ['Boolean', 1],
  ['Date', '2026-13-01'],
  ['Date', '2026-02-30'],
  ['Date', '2025-02-29'],
  ['Date', '1969-12-31'],
  ['Date', '2149-06-07'],
  ['Date', '2026-1-1'],
  ['Date', '2026-01-02T25:00:00Z'],
  ['Date', '2026-01-02T03:04:05Z; x'],
  ['Date', '21/11/2026'],
  ['Date', 1_700_000_000],
  ['List', 5],
  ['List', ['a', 5]],
  ['List', [['a']]],
])('a %s variable rejects %j', (type, value) => {
  expect(() => bind(type, value)).toThrow(expect.objectContaining({ code: 'invalid_variables' }))
})

test('a List variable with values accepts only those', () => {
  expect(bind('List', 'a', ['a', 'b'])).toEqual({ type: 'String', value: 'a' })
  expect(() => bind('List', 'c', ['a', 'b'])).toThrow(/"v" takes one of its values .*: "a", "b"/)
  expect(() => bind('List', ['a', 'c'], ['a', 'b'])).toThrow(ApiError)
})

test('binding variables reports all errors together', () => {
  const three = ['missing', 'nothing', 'mistyped'].map((codeName) => ({ codeName, type: 'Number', values: [] }))
  try {
    bindVariables(three, { nothing: null, mistyped: 'x', zebra: 1, apple: 2 })
    throw new Error('it was accepted')
  } catch (error) {
    expect((error as ApiError).details.attr).toBe('variables')
    expect((error as ApiError).details.errors!.map(({ path, code }) => [path, code])).toEqual([
      ['missing', 'required'],
      ['nothing', 'required'],
      ['mistyped', 'wrong_type'],
      ['apple', 'unknown'],
      ['zebra', 'unknown'],
    ])
  }
})

test.each([['constructor'], ['__proto__'], ['toString']])(
  'binding does not take the variable %s for a property that every object inherits',
  (name) => {
    const need = [{ codeName: name, type: 'String', values: [] }]
    expect(() => bindVariables(need, {})).toThrow(/is required/)
    expect(() => bindVariables([], JSON.parse(`{"${name}":1}`))).toThrow(/is not a variable/)
  },
)

test.each([
  ['Plan name', 'plan_name'],
  ['  Größe (cm) ', 'gre_cm'],
  ['A_b 9', 'a_b_9'],
  ['!!!', ''],
])('derives from the variable name %p the code name %p', (name, codeName) => {
  expect(codeNameOf(name)).toBe(codeName)
})
