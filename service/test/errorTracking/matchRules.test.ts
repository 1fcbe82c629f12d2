import fc from 'fast-check'
import type { Exception } from '../../src/errorTracking/exceptions.ts'
import { compileRules, decidingRule, possibleRules, type RuleConditions } from '../../src/errorTracking/matchRules.ts'

const exception = (value: string, frames: readonly [file: string, name: string][] = []): Exception => ({
  type: 'TypeError',
  value,
  isHandled: false,
  isSynthetic: false,
  frames: frames.map(([filename, name]) => ({
    filename,
    function: name,
    line: 1,
    column: 1,
    inApp: true,
    mapId: '',
  })),
})

const decides = (match: RuleConditions, ...exceptions: Exception[]): boolean => {
  const rules = compileRules([{ match, issue: 'A' }])
  const ids = possibleRules(rules, exceptions).map(({ id }) => id)
  return decidingRule(rules, ids, exceptions) !== undefined
}

test('a pattern matches the same strings as a regular expression with .* for each star', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'B', '*', '.', '\n'), maxLength: 8 })
  fc.assert(
    fc.property(letters.filter(Boolean), letters, (pattern, text) => {
      const parts = pattern.split('*').map((part) => part.replaceAll('.', '\\.'))
      expect(decides({ message: pattern }, exception(text))).toBe(new RegExp(`^${parts.join('.*')}$`, 'is').test(text))
    }),
    { numRuns: 2_000 },
  )
})

test('all conditions hold for one error of the chain, and both of a frame for one frame', () => {
  const outer = exception('outer', [['a.js', 'one']])
  const inner = {
    ...exception('inner', [
      ['a.js?v=1', 'two'],
      ['b.js', 'one'],
    ]),
    isHandled: true,
  }
  expect(decides({ message: 'outer', handled: true }, outer, inner)).toBe(false)
  expect(decides({ message: 'inner', handled: true }, outer, inner)).toBe(true)
  expect(decides({ file: 'A.js', function: 'two' }, outer, inner)).toBe(true)
  expect(decides({ file: 'b.js', function: 'two' }, outer, inner)).toBe(false)
})

test('possibleRules stops at the first rule that matches without its frames', () => {
  const rules = compileRules([
    { match: { file: 'x.js' }, issue: 'Frames' },
    { match: { type: 'TypeError' }, issue: 'Decides' },
    { match: { type: '*' }, issue: 'Never' },
  ])
  const possible = possibleRules(rules, [exception('m', [['y.js', 'f']])])
  expect(possible.map(({ id }) => id)).toEqual([rules[0]!.id, rules[1]!.id])
  const mapped = [exception('m', [['x.js', 'f']])]
  const issueOf = (ids: unknown) => decidingRule(rules, ids, mapped)?.issue
  expect(issueOf(possible.map(({ id }) => id))).toBe('Frames')
  // An event stored before the first rule existed, and events with invalid rule ids.
  expect([issueOf([rules[1]!.id]), issueOf('x'), issueOf(undefined)]).toEqual(['Decides', undefined, undefined])
})

test('a long message is matched against a pattern of many stars without backtracking', () => {
  const match = { message: `*${'a*'.repeat(140)}b` }
  expect(decides(match, exception('a'.repeat(8_192)))).toBe(false)
})
