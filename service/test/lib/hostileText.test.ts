import { exceptionsOf } from '../../src/errorTracking/exceptions.ts'
import { fingerprintOf, stackIdOf } from '../../src/errorTracking/fingerprint.ts'
import { compileRules, possibleRules } from '../../src/errorTracking/matchRules.ts'
import { OPERATORS } from '../../src/flags/operators.ts'
import { readVersion } from '../../src/flags/version.ts'
import { staticFile } from '../../src/statics/statics.ts'
import { sanitize } from '../../src/recordings/sanitize.ts'
import { constantOf } from '../../src/sql/catalog/constant.ts'
import { asNumber, parameter } from '../../src/sql/resolve/coerce.ts'
import { surveyProperties } from '../../src/surveys/surveyEvents.ts'

// CPU time. In linear time a few ms, in quadratic time at least ten seconds.
const MAX_MS = 2_000

const exceptions = (frame: object) =>
  exceptionsOf(
    Array.from({ length: 20 }, () => ({
      type: 'Error',
      value: 'did not match'.repeat(600),
      stacktrace: {
        frames: Array.from({ length: 50 }, () => ({ filename: 'a.js', function: 'f', lineno: 1, ...frame })),
      },
    })),
  )
const styled = (style: string) => ({
  type: 3,
  timestamp: 1,
  data: { source: 0, adds: [], removes: [], texts: [], attributes: [{ id: 1, attributes: { style } }] },
})
const times = (count: number, task: () => unknown) => Array.from({ length: count }, task)
const asMapped = (frame: object) =>
  exceptions(frame).map((each) => ({
    ...each,
    frames: each.frames.map((one) => ({ ...one, isMapped: false, source: undefined })),
  }))

const HOSTILE_URL = { filename: `${'?'.repeat(999)}\n` }
const ENDLESS = ' '.repeat(100_000)

test.each<[string, () => unknown]>([
  ['a path of static files', () => times(30, () => staticFile(`1.1.${'1'.repeat(15_000)}`))],
  ['a version of a feature flag', () => readVersion(`1.0.0-${ENDLESS}\nx`)],
  ['a pattern of a feature flag', () => OPERATORS.regex!.make('(a{0,9}){100}$')!(`${'a'.repeat(100_000)}b`, 0)],
  ...['exact', 'icontains_multi'].map((operator): [string, () => unknown] => [
    `a text of a feature flag: ${operator}`,
    () => {
      const test = OPERATORS[operator]!.make(times(1_000, () => 'not it'))!
      // Lower case of this letter is slow.
      times(20, () => test('İ'.repeat(120_000), 0))
    },
  ]),
  ['a number of an endpoint', () => asNumber(parameter('text', 'String', constantOf(`${'1'.repeat(100_000)}x`)))],
  ['the URL of a frame', () => times(10, () => stackIdOf(exceptions(HOSTILE_URL)))],
  [
    'the URL of a frame, for rules',
    () => times(10, () => possibleRules(compileRules([{ match: { file: 'b' }, issue: 'A' }]), exceptions(HOSTILE_URL))),
  ],
  ...['/', ' [as ', '/<'].map((part): [string, () => unknown] => [
    `the function of a frame: ${part}`,
    () => times(40, () => fingerprintOf(asMapped({ function: `${part.repeat(1_000 / part.length - 1)}x` }))),
  ]),
  [
    'a stack as text',
    () => exceptionsOf(times(20, () => ({ stack: `at ${'('.repeat(500)}${':1'.repeat(49_000)}\n`.repeat(2) }))),
  ],
  [
    'an answer to a survey',
    () =>
      times(100, () =>
        surveyProperties('survey sent', {
          $survey_id: '0190a5c6-0000-7000-8000-000000000000',
          $survey_response: times(10, () => `${'\ufffd'.repeat(2_660)}x${'y'.repeat(100)}`),
        }),
      ),
  ],
  ...[`url(${ENDLESS}`, 'url('.repeat(50_000), 'url("'.repeat(50_001), `url(${'"\\'.repeat(50_000)}`].map(
    (css): [string, () => unknown] => [`a recorded style: ${css.trim().slice(0, 12)}`, () => sanitize(styled(css))],
  ),
])('reads hostile text in linear time: %s', (_, read) => {
  const since = process.cpuUsage()
  read()
  expect(process.cpuUsage(since).user / 1_000).toBeLessThan(MAX_MS)
})

test('a recorded style with a string longer than a pattern can repeat is read', () => {
  expect(() => sanitize(styled(`url("${'x'.repeat(16_000_000)}")`))).not.toThrow()
})
