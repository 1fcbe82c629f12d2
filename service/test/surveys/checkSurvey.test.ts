import fc from 'fast-check'
import type { Flag } from '../../src/flags/evaluate.ts'
import { ApiError } from '../../src/lib/apiError.ts'
import { checkSurvey } from '../../src/surveys/checkSurvey.ts'
import { isRisky } from '../../../src/extensions/surveys/pattern.ts'
import { patternProblem } from '../../src/surveys/pattern.ts'
import type { Question, SurveyInput } from '../../src/surveys/survey.ts'

const OPEN: Question = { type: 'open', question: 'Why?' }
const RATING: Question = { type: 'rating', question: 'How likely?', display: 'number', scale: 10 }
const SINGLE: Question = { type: 'single_choice', question: 'Which?', choices: ['a', 'b'] }

const flag = (key: string, ...variants: string[]): [string, Flag] => [
  key,
  {
    id: 1,
    key,
    version: 1,
    name: '',
    isActive: true,
    contexts: [],
    filters: {
      groups: [],
      multivariate: { variants: variants.map((each) => ({ key: each, rollout_percentage: 100 / variants.length })) },
    },
  },
]
const flags = new Map([flag('beta'), flag('color', 'red', 'blue')])

/** The field of the first mistake and its message. `undefined`: the survey is valid. */
const problemOf = (fields: Partial<SurveyInput>, currentIteration = 0): string | undefined => {
  try {
    checkSurvey({ name: 'Survey', type: 'popover', questions: [OPEN], ...fields }, { flags, currentIteration })
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    expect(error.details.attr).toBeTruthy()
    expect(error.message).toMatch(/^".+" .+\.$/)
    return error.details.attr
  }
}

const step = (fields: object) => ({
  conditions: { actions: { values: [{ id: 1, name: 'bought', steps: [fields] }] } },
})
const ask = (question: Partial<Question>, base: Question = OPEN) => ({ questions: [{ ...base, ...question }] })
const branch = (branching: Question['branching'], base: Question = RATING) => ask({ branching }, base)

test.each<[what: string, fields: Partial<SurveyInput>]>([
  ['an open question', {}],
  ['all types of questions', { questions: [OPEN, RATING, SINGLE, { ...SINGLE, type: 'multiple_choice' }] }],
  ['a link', ask({ type: 'link', link: 'mailto:a@b.example' })],
  ['every scale of emoji', { questions: [2, 3, 5].map((scale) => ({ ...RATING, display: 'emoji', scale })) }],
  ['every scale of numbers', { questions: [3, 5, 7, 10].map((scale) => ({ ...RATING, scale })) }],
  ['a rating without a display', ask({ scale: 7, display: null }, RATING)],
  ['a rating without a scale', ask({ scale: null, display: 'emoji' }, RATING)],
  ['a rating that says nothing', { questions: [{ type: 'rating', question: 'How?' }] }],
  ['a scale of 2 by number, which is drawn as thumbs', ask({ scale: 2 }, RATING)],
  [
    'buckets of the default scale',
    branch(
      { type: 'response_based', responseValues: { negative: 'end', neutral: 'end' } },
      { type: 'rating', question: 'How?' },
    ),
  ],
  ['buckets', branch({ type: 'response_based', responseValues: { detractors: 'end', promoters: 'next_question' } })],
  [
    'a branch to an earlier question that can still end',
    { questions: [OPEN, branch({ type: 'response_based', responseValues: { passives: 0 } }).questions[0]!] },
  ],
  ['choices by index', branch({ type: 'response_based', responseValues: { '0': 'end', '1': 0 } }, SINGLE)],
  ['translated choices', ask({ translations: { 'pt-BR': { choices: ['x', 'y'] } } }, SINGLE)],
  [
    'colors',
    {
      appearance: {
        backgroundColor: '#fff',
        textColor: 'rgb(1, 2, 3)',
        borderColor: 'hsla(1 2% 3% / .5)',
        widgetColor: 'navy',
      },
    },
  ],
  ['CSS values', { appearance: { fontFamily: "'Inter', sans-serif", maxWidth: 'min(300px, 90vw)', zIndex: '9' } }],
  ['a variant of the linked flag', { linked_flag_key: 'color', conditions: { linkedFlagVariant: 'red' } }],
  ['any variant', { linked_flag_key: 'beta', conditions: { linkedFlagVariant: 'any' } }],
  ['a regular expression', { conditions: { url: '^https://shop\\.example/(cart|pay)/?$', urlMatchType: 'regex' } }],
  ['iterations', { schedule: 'recurring', iteration_count: 3, iteration_frequency_days: 30 }],
  ['a hosted survey with nulls', { type: 'external_survey', conditions: { url: null }, linked_flag_key: null }],
])('accepts %s', (_, fields) => {
  expect(problemOf(fields)).toBeUndefined()
})

test.each<[attr: string, fields: Partial<SurveyInput>]>([
  ['name', { name: '  ' }],
  ['questions', { questions: [] }],
  ['questions', { questions: Array.from({ length: 51 }, () => OPEN) }],
  ['questions', { questions: Array.from({ length: 40 }, () => ({ ...OPEN, question: 'ä'.repeat(900) })) }],
  ['questions.0.question', ask({ question: ' \n' })],
  ['questions.0.id', ask({ id: 'a b' })],
  [
    'questions.1.id',
    {
      questions: [
        { ...OPEN, id: 'a' },
        { ...OPEN, id: 'a' },
      ],
    },
  ],
  ['questions.0.scale', ask({ scale: 5 })],
  ['questions.0.choices', ask({ choices: ['a'] })],
  ['questions.0.choices', ask({ choices: [] }, SINGLE)],
  ['questions.0.choices', ask({ choices: Array.from({ length: 101 }, (_, n) => `${n}`) }, SINGLE)],
  ['questions.0.choices', ask({ choices: ['a', 'a'] }, SINGLE)],
  ['questions.0.choices.1', ask({ choices: ['a', ' '] }, SINGLE)],
  ['questions.0.skipSubmitButton', ask({ skipSubmitButton: true, hasOpenChoice: true }, SINGLE)],
  ['questions.0.skipSubmitButton', ask({ type: 'multiple_choice', skipSubmitButton: true }, SINGLE)],
  ['questions.0.scale', ask({ scale: 4 }, RATING)],
  ['questions.0.scale', ask({ scale: 10, display: 'emoji' }, RATING)],
  ['questions.0.scale', ask({ scale: 7, display: 'emoji' }, RATING)],
  ['questions.0.scale', ask({ scale: 0 }, RATING)],
  [
    'questions.0.validation',
    ask({
      validation: [
        { type: 'min_length', value: 9 },
        { type: 'max_length', value: 3 },
      ],
    }),
  ],
  ...['http://a.example', 'javascript:alert(1)', 'nowhere', ''].map((link): [string, Partial<SurveyInput>] => [
    'questions.0.link',
    ask({ type: 'link', link }),
  ]),
  [
    'questions.0.translations.fr.link',
    ask({ type: 'link', link: 'https://a.example', translations: { fr: { link: 'javascript:1' } } }),
  ],
  ['questions.0.translations.fr.choices', ask({ translations: { fr: { choices: ['x'] } } }, SINGLE)],
  ['questions.0.translations.fr.choices', ask({ translations: { fr: { choices: ['x', 'x'] } } }, SINGLE)],
  ['questions.0.translations.not a language', ask({ translations: { 'not a language': {} } })],
  ['translations.1', { translations: { 1: { name: 'x' } } }],
  ['questions.0.branching.index', branch({ type: 'specific_question', index: 1 })],
  ['questions.0.branching.index', branch({ type: 'specific_question' })],
  ['questions.0.branching.type', branch({ type: 'response_based', responseValues: {} }, OPEN)],
  [
    'questions.0.branching.responseValues.negative',
    branch({ type: 'response_based', responseValues: { negative: 0 } }),
  ],
  [
    'questions.0.branching.responseValues.promoters',
    branch({ type: 'response_based', responseValues: { promoters: 1 } }),
  ],
  [
    'questions.0.branching.responseValues.promoters',
    branch({ type: 'response_based', responseValues: { promoters: 'stop' } }),
  ],
  [
    'questions.0.branching.responseValues.2',
    branch({ type: 'response_based', responseValues: { '2': 'end' } }, SINGLE),
  ],
  ['questions.0.branching', branch({ type: 'specific_question', index: 0 })],
  ['questions.0.branching', { questions: [OPEN, { ...OPEN, branching: { type: 'specific_question', index: 0 } }] }],
  ['questions.0.branching', branch({ type: 'response_based', responseValues: { '0': 0, '1': 0 } }, SINGLE)],
  ...['red;}*{color:red', 'url(https://a.example)', '#12', 'var(--x)', 'rgb(1,2,3);'].map(
    (color): [string, Partial<SurveyInput>] => [
      'appearance.backgroundColor',
      { appearance: { backgroundColor: color } },
    ],
  ),
  ['appearance.fontFamily', { appearance: { fontFamily: 'x; background: red' } }],
  ['appearance.boxShadow', { appearance: { boxShadow: 'url(x)' } }],
  ['appearance.zIndex', { appearance: { zIndex: 'top' } }],
  ['appearance.widgetSelector', { type: 'widget', appearance: { widgetType: 'selector' } }],
  ['appearance.widgetSelector', { type: 'widget', appearance: { widgetType: 'selector', widgetSelector: 'a { }' } }],
  ['conditions.selector', { conditions: { selector: '#a:has(b)' } }],
  ['conditions.selector', { conditions: { selector: '[a' } }],
  ['conditions.url', { conditions: { url: '(a+)+$', urlMatchType: 'regex' } }],
  ['conditions.url', { conditions: { url: '(', urlMatchType: 'not_regex' } }],
  [
    'conditions.cancelEvents.values.0.propertyFilters.plan.values.0',
    {
      conditions: {
        cancelEvents: { values: [{ name: 'e', propertyFilters: { plan: { operator: 'regex', values: ['(a|a)*'] } } }] },
      },
    },
  ],
  [
    'conditions.events.values.0.propertyFilters.age.values',
    {
      conditions: {
        events: { values: [{ name: 'e', propertyFilters: { age: { operator: 'gt', values: ['old'] } } }] },
      },
    },
  ],
  ['linked_flag_key', { linked_flag_key: 'gone' }],
  ['feature_flag_keys.0.value', { feature_flag_keys: [{ key: 'x', value: 'gone' }] }],
  ['conditions.linkedFlagVariant', { conditions: { linkedFlagVariant: 'red' } }],
  ['conditions.linkedFlagVariant', { linked_flag_key: 'color', conditions: { linkedFlagVariant: 'green' } }],
  ['targeting_flag_filters.groups', { targeting_flag_filters: { groups: [{ properties: [] }] } }],
  ['iteration_count', { schedule: 'recurring', iteration_frequency_days: 3 }],
  ['iteration_frequency_days', { schedule: 'recurring', iteration_count: 3 }],
  ['iteration_count', { iteration_count: 3 }],
  ['end_date', { end_date: '2026-01-01T00:00:00Z' }],
  ['end_date', { start_date: '2026-01-02T00:00:00Z', end_date: '2026-01-01T00:00:00Z' }],
  ['linked_flag_key', { type: 'external_survey', linked_flag_key: 'beta' }],
  ['targeting_flag_filters', { type: 'external_survey', targeting_flag_filters: { groups: [] } }],
  ['conditions.url', { type: 'external_survey', conditions: { url: 'shop' } }],
  ['conditions.url', { conditions: { url: '.*.*.*x', urlMatchType: 'regex' } }],
  ['conditions.actions.values.0.steps.0.url', step({ url: '.*.*.*x', url_matching: 'regex' })],
  ['conditions.actions.values.0.steps.0.selector_regex', step({ selector_regex: '(a+)+' })],
  ['conditions.actions.values.0.steps.0.event', step({ text: 'Buy' })],
  ['appearance.surveyPopupDelaySeconds', { type: 'external_survey', appearance: { surveyPopupDelaySeconds: 3 } }],
])('rejects %s', (attr, fields) => {
  expect(problemOf(fields)).toBe(attr)
})

test('rejects fewer iterations than have begun', () => {
  const recurring = { schedule: 'recurring', iteration_count: 3, iteration_frequency_days: 7 } as const
  expect(problemOf(recurring, 3)).toBeUndefined()
  expect(problemOf(recurring, 4)).toBe('iteration_count')
})

// Regular expressions that the service allows the SDK to run, and those it rejects.
test.each([
  '^/pay',
  'a{2,5}',
  '[(a+)+]+',
  '(?:ab)+c',
  '(a|b)?',
  '^/(en|de)(/.*)?$',
  '\\(a+\\)+',
  '(a{2}b)+',
  '.*x',
  '^.*.*x',
  '^.*foo.*bar',
  '^(?!.*admin).*$',
  '^https?://(www\\.)?shop\\.example/.*/edit$',
  'https?://.*\\.example\\.com/.*',
  // Each repetition ends where the next character begins.
  '/users/\\d+/orders/\\d+/edit',
  '(\\d+)/edit/(\\d+)/x',
  'utm_source=[^&]+&',
])('accepts the pattern %s', (pattern) => {
  expect(patternProblem(pattern)).toBeUndefined()
  expect(isRisky(pattern)).toBe(false)
})

test.each([
  '(a+)+$',
  '(a*)*',
  '((ab)+)*',
  '(?:a|a)+$',
  '(x(a+)y){2,}',
  '(a?a)+$',
  '(a+){20}',
  '((a|b)?)+',
  '(a)\\1',
  '(?<n>a)\\k<n>',
  'a'.repeat(257),
])('rejects the pattern %s, which is too long or may take exponential time', (pattern) => {
  expect(patternProblem(pattern)).toMatch(/^may have/)
  expect(isRisky(pattern)).toBe(true)
})

test.each([
  '.*.*.*x',
  '.*.*x',
  '^.*.*.*x',
  '^a|.*b.*c',
  '.*foo.*bar',
  '[ab]*[bc]*x',
  '\\u0061*a*b',
  '.{0,99}.{0,99}.{0,99}x',
  '.*a{500}b',
  'a?'.repeat(16) + 'a'.repeat(16),
  `${'(a|a)'.repeat(13)}x`,
])('rejects the pattern %s, which may take too long on a string of 1 kB', (pattern) => {
  expect(patternProblem(pattern)).toMatch(/^may take too long on a string of 1 kB/)
  expect(isRisky(pattern)).toBe(true)
})

test('rejects what is not a regular expression', () => {
  expect(patternProblem('[')).toMatch(/^is not a regular expression/)
})

test('accepts exactly the patterns that the SDK accepts', () => {
  const parts = [
    'a',
    'b',
    '.',
    '\\d',
    '\\.',
    '[^/]',
    '[ab]',
    '(',
    '(?:',
    ')',
    '|',
    '*',
    '+',
    '?',
    '{2}',
    '{1,9}',
    '^',
    '$',
    '/',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...parts), { maxLength: 14 }), (chosen) => {
      const pattern = chosen.join('')
      const problem = patternProblem(pattern)
      fc.pre(!problem?.startsWith('is not'))
      expect(isRisky(pattern)).toBe(problem !== undefined)
    }),
  )
})
