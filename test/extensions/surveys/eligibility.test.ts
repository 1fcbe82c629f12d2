import fc from 'fast-check'
import { type Facts, failedCondition, PLACE, TRIGGER } from '../../../src/extensions/surveys/eligibility'
import { isUsable, readSurvey } from '../../../src/extensions/surveys/isUsable'
import { createRun } from '../../../src/extensions/surveysView/run'
import { translate } from '../../../src/extensions/surveys/language'
import { matches, matchesEvent, matchesUrl, testPattern } from '../../../src/extensions/surveys/match'
import { createMemory } from '../../../src/extensions/surveys/memory'
import { prefillFrom } from '../../../src/extensions/surveys/prefill'
import type { Survey, SurveyMatch, SurveyQuestion } from '../../../src/types'

const NOW = Date.parse('2026-11-21T10:00:00Z')
const daysAgo = (days: number) => NOW - days * 86_400_000

const survey = (changes: Partial<Survey> = {}): Survey => ({
  id: 's1',
  name: 'Survey',
  type: 'popover',
  questions: [{ type: 'open', question: 'Why?' }],
  start_date: '2026-11-01T00:00:00Z',
  ...changes,
})

const facts = (changes: Partial<Facts> = {}, memory: Partial<Facts['memory']> = {}): Facts => ({
  now: () => NOW,
  url: () => 'https://shop.example/basket?step=2',
  device: () => 'Desktop',
  hasElement: (selector) => selector === '#there',
  flag: (key) => ({ on: true, color: 'red' })[key],
  hasFlags: () => true,
  isArmed: () => false,
  memory: { isSeen: () => false, progress: () => undefined, lastShownAt: () => undefined, ...memory },
  ...changes,
})

const PROGRESS = { surveySubmissionId: 'x', lastQuestionIndex: 0, visitedIndices: [], responses: {} }
const TRIGGERED = { events: { values: [{ name: 'bought' }] } }

describe('survey conditions', () => {
  test.each<[title: string, changes: Partial<Survey>, facts: Facts, failed: string | undefined]>([
    ['nothing to meet', {}, facts(), undefined],
    ['a draft', { start_date: null }, facts(), 'running'],
    ['an ended survey', { end_date: '2026-11-20T00:00:00Z' }, facts(), 'running'],
    ['an end in the future', { end_date: '2026-12-01T00:00:00Z' }, facts(), undefined],
    ['a hosted survey', { type: 'external_survey' }, facts(), 'type'],
    ['a linked flag that is on', { linked_flag_key: 'on' }, facts(), undefined],
    ['a linked flag that is off', { linked_flag_key: 'off' }, facts(), 'linked flag'],
    [
      'another variant',
      { linked_flag_key: 'color', conditions: { linkedFlagVariant: 'blue' } },
      facts(),
      'linked flag',
    ],
    ['any variant', { linked_flag_key: 'color', conditions: { linkedFlagVariant: 'any' } }, facts(), undefined],
    ['a targeting flag', { targeting_flag_key: 'off' }, facts(), 'targeting flag'],
    ['an internal flag', { internal_targeting_flag_key: 'off' }, facts(), 'internal targeting flag'],
    [
      'an internal flag of a repeated survey',
      { internal_targeting_flag_key: 'off', schedule: 'always' },
      facts(),
      undefined,
    ],
    [
      'an internal flag of a survey in progress',
      { internal_targeting_flag_key: 'off' },
      facts({}, { progress: () => PROGRESS }),
      undefined,
    ],
    [
      'an iteration before flags have loaded',
      { internal_targeting_flag_key: 'on', current_iteration: 2 },
      facts({ hasFlags: () => false }),
      'internal targeting flag',
    ],
    [
      'a wait period of 3 days, after 3 days',
      { conditions: { seenSurveyWaitPeriodInDays: 3 } },
      facts({}, { lastShownAt: () => daysAgo(3) }),
      'wait period',
    ],
    [
      'a wait period of 3 days, after a little more',
      { conditions: { seenSurveyWaitPeriodInDays: 3 } },
      facts({}, { lastShownAt: () => daysAgo(3.01) }),
      undefined,
    ],
    [
      'a wait period, for a survey in progress',
      { conditions: { seenSurveyWaitPeriodInDays: 3 } },
      facts({}, { lastShownAt: () => daysAgo(1), progress: () => PROGRESS }),
      'wait period',
    ],
    ['a seen survey', {}, facts({}, { isSeen: () => true }), 'not seen before'],
    [
      'a seen survey that a trigger repeats',
      { conditions: { events: { ...TRIGGERED.events, repeatedActivation: true } } },
      facts({ isArmed: () => true }, { isSeen: () => true }),
      undefined,
    ],
    ['another URL', { conditions: { url: '/checkout' } }, facts(), 'URL'],
    ['a URL', { conditions: { url: 'BASKET' } }, facts(), undefined],
    ['another device', { conditions: { deviceTypes: ['Mobile', 'Tablet'] } }, facts(), 'device'],
    [
      'all devices but this',
      { conditions: { deviceTypes: ['Desktop'], deviceTypesMatchType: 'is_not' } },
      facts(),
      'device',
    ],
    ['a missing element', { conditions: { selector: '#gone' } }, facts(), 'selector'],
    ['an element', { conditions: { selector: '#there' } }, facts(), undefined],
    ['a trigger', { conditions: TRIGGERED }, facts(), TRIGGER],
    ['a trigger that has happened', { conditions: TRIGGERED }, facts({ isArmed: () => true }), undefined],
    [
      'one flag of two',
      {
        feature_flag_keys: [
          { key: 'a', value: 'on' },
          { key: 'b', value: 'off' },
        ],
      },
      facts(),
      'flags',
    ],
    ['a flag without a value', { feature_flag_keys: [{ key: 'a', value: null }] }, facts(), undefined],
  ])('with %s', (_, changes, given, failed) => expect(failedCondition(survey(changes), given)).toBe(failed))

  test('are checked in the order of the protocol, and the first that fails is the reason', () => {
    const all = survey({
      targeting_flag_key: 'off',
      conditions: { url: '/checkout', selector: '#gone', ...TRIGGERED, seenSurveyWaitPeriodInDays: 9 },
    })
    const given = facts({}, { isSeen: () => true, lastShownAt: () => NOW })
    const seen: (string | undefined)[] = []
    for (let without: string[] = []; without.length < 7; without = seen as string[])
      seen.push(failedCondition(all, given, without as never[]))
    expect(seen).toEqual(['targeting flag', 'wait period', 'not seen before', 'URL', 'selector', TRIGGER, undefined])
    expect(
      failedCondition(survey({ conditions: { url: '/checkout', ...TRIGGERED } }), facts(), [...PLACE, TRIGGER]),
    ).toBeUndefined()
  })
})

describe('survey matching', () => {
  test.each<[SurveyMatch, string[], string, boolean]>([
    ['exact', ['a', 'b'], 'b', true],
    ['is_not', ['a', 'b'], 'b', false],
    ['is_not', ['a', 'b'], 'c', true],
    ['icontains', ['SHOP'], 'a shop', true],
    ['not_icontains', ['x', 'shop'], 'a Shop', false],
    ['regex', ['^a+$'], 'aaa', true],
    ['not_regex', ['^a+$'], 'aaa', false],
    ['not_regex', ['('], 'aaa', false],
    ['regex', ['('], 'aaa', false],
    ['gt', ['9'], '10', true],
    ['lt', ['9'], '10', false],
    ['later' as SurveyMatch, ['a'], 'a', false],
  ])('%s %p matches %p: %p', (match, values, actual, met) => expect(matches(match, values, actual)).toBe(met))

  test('an exact URL ignores a slash at the end', () => {
    expect(matchesUrl('exact', 'https://a.example/b/', 'https://a.example/b')).toBe(true)
    expect(matchesUrl('is_not', 'https://a.example/b', 'https://a.example/b/')).toBe(false)
  })

  test('a missing property meets no filter, not even a negative one', () => {
    const filtered = (operator: SurveyMatch) => ({
      name: 'bought',
      propertyFilters: { plan: { values: ['pro'], operator } },
    })
    expect(matchesEvent(filtered('is_not'), { event: 'bought', properties: {} })).toBe(false)
    expect(matchesEvent(filtered('is_not'), { event: 'bought', properties: { plan: 'free' } })).toBe(true)
    expect(matchesEvent(filtered('exact'), { event: 'bought', properties: { plan: 'pro' } })).toBe(true)
    expect(matchesEvent(filtered('exact'), { event: 'sold', properties: { plan: 'pro' } })).toBe(false)
  })

  test.each(['(a+)+$', '(a|aa)+$', '((a*))*b', '(\\w+\\s?)*x', '(a)\\1', `${'a'.repeat(257)}`, '(?<n>a)\\k<n>'])(
    'the pattern %s, which may not end, matches nothing',
    (pattern) => {
      // Running it would take minutes.
      expect(testPattern(pattern, `${'a'.repeat(40)}!`)).toBeUndefined()
    },
  )

  test.each(['^https?://shop\\.example/(de|en)/', '/products/[0-9]+$', '(\\(|\\))+?'.slice(0, 7), '[(+]+'])(
    'the pattern %s is tested',
    (pattern) => expect(testPattern(pattern, 'https://shop.example/de/products/12')).toBeDefined(),
  )

  test('testPattern does not use a pattern again that was slow once', () => {
    let time = 0
    expect(testPattern('slow', 'slow', () => (time += 6))).toBe(true)
    expect(testPattern('slow', 'slower')).toBeUndefined()
  })
})

describe('survey state', () => {
  const open = () =>
    createMemory(() => ({
      getItem: (name) => localStorage.getItem(name),
      setItem: (name, value) => {
        localStorage.setItem(name, value)
        return true
      },
      removeItem: (name) => localStorage.removeItem(name),
    }))
  beforeEach(() => localStorage.clear())

  test('uses the names of the protocol, with the iteration if there is one', () => {
    const memory = open()
    memory.markSeen({ id: 'a', current_iteration: 0 })
    memory.markSeen({ id: 'b', current_iteration: 2 })
    memory.markShown()
    memory.saveProgress({ id: 'b', current_iteration: 2 }, PROGRESS)
    expect(Object.keys(localStorage).sort()).toEqual([
      'inProgressSurvey_b_2',
      'lastSeenSurveyDate',
      'seenSurvey_a',
      'seenSurvey_b_2',
    ])
    expect([
      memory.isSeen({ id: 'b', current_iteration: 1 }),
      memory.isSeen({ id: 'b', current_iteration: 2 }),
    ]).toEqual([false, true])
    expect(memory.progress({ id: 'b', current_iteration: 2 })).toEqual(PROGRESS)
    expect([memory.markAbandoned({ id: 'b' }), memory.markAbandoned({ id: 'b' })]).toEqual([true, false])
    localStorage.setItem('other', '1')
    memory.forget(Object.keys(localStorage))
    expect(Object.keys(localStorage)).toEqual(['other'])
  })

  test('stays in memory while storing is not allowed, and malformed progress is ignored', () => {
    const memory = createMemory(() => undefined)
    memory.markSeen({ id: 'a' })
    expect([memory.isSeen({ id: 'a' }), localStorage.length]).toEqual([true, 0])
    localStorage.setItem('inProgressSurvey_a', '{"surveySubmissionId": 1')
    expect(open().progress({ id: 'a' })).toBeUndefined()
  })
})

test('a survey translation is chosen by the language, then by its part before the dash, and reported if it changed a text', () => {
  const choice: SurveyQuestion = {
    type: 'single_choice',
    question: 'Which?',
    choices: ['Red', 'Blue'],
    translations: { de: { question: 'Welche?', choices: ['Rot', 'Blau'] }, fr: { choices: ['Rouge'] } },
  }
  const original = survey({ questions: [choice], translations: { 'pt-BR': { name: 'Pesquisa' } } })
  const german = translate(original, 'de-AT')
  expect([german.language, german.survey.questions[0]]).toMatchObject([
    'de',
    { question: 'Welche?', choices: ['Rot', 'Blau'] },
  ])
  expect(translate(original, 'pt-br')).toMatchObject({ language: 'pt-BR', survey: { name: 'Pesquisa' } })
  // Choices are joined by their index, so an incomplete list is not used.
  expect(translate(original, 'fr')).toEqual({ survey: original })
  expect(translate(original, 'ja')).toEqual({ survey: original })
})

test('surveys that are malformed or of a newer release are not usable', () => {
  expect(isUsable(survey())).toBe(true)
  const broken: unknown[] = [
    null,
    { ...survey(), id: 1 },
    survey({ questions: [] }),
    survey({ type: 'hologram' as never }),
    survey({ appearance: 'red' as never }),
    ...[
      { type: 'slider', question: '?' },
      { type: 'single_choice', question: '?' },
      { type: 'rating', question: '?', display: 'emoji', scale: 7 },
      { type: 'rating', question: '?', display: 'number', scale: 4 },
      { type: 'open', question: '?', branching: { type: 'random' } },
    ].map((question) => survey({ questions: [question as never] })),
  ]
  expect(broken.filter(isUsable)).toEqual([])
})

const QUESTIONS: SurveyQuestion[] = [
  { type: 'open', question: 'Why?', description: 'x', validation: [{ type: 'min_length', value: 3 }] },
  { type: 'link', question: 'Read', link: 'https://shop.example/', buttonText: 'Go' },
  { type: 'rating', question: 'How?', display: 'emoji', scale: 5, lowerBoundLabel: 'Bad', upperBoundLabel: 'Good' },
  { type: 'single_choice', question: 'Which?', choices: ['a', 'b'], hasOpenChoice: true, skipSubmitButton: true },
  { type: 'multiple_choice', question: 'Which?', choices: ['a', 'b'], shuffleOptions: true },
]
const COMMON = {
  id: 'q',
  descriptionContentType: 'text',
  optional: true,
  branching: { type: 'end' },
  translations: { de: { question: 'Wie?' } },
}
const NEEDED: Record<string, readonly string[]> = {
  survey: ['id', 'type', 'questions', 'start_date'],
  question: ['type', 'choices'],
}
const FULL: Survey = survey({
  appearance: { position: 'left', surveyPopupDelaySeconds: 3, widgetType: 'tab', tabPosition: 'left', zIndex: '5' },
  conditions: {
    url: '/shop',
    urlMatchType: 'icontains',
    selector: '#there',
    seenSurveyWaitPeriodInDays: 1,
    events: { values: [{ name: 'bought', propertyFilters: { size: { values: ['L'], operator: 'exact' } } }] },
    cancelEvents: { values: [{ name: 'left' }] },
    actions: { values: [{ id: 1, steps: [{ event: 'x' }] }] },
    deviceTypes: ['Desktop'],
    deviceTypesMatchType: 'exact',
    linkedFlagVariant: 'any',
  },
  end_date: '2027-01-01',
  linked_flag_key: 'on',
  targeting_flag_key: 'on',
  internal_targeting_flag_key: 'on',
  feature_flag_keys: [{ key: 'on', value: 'on' }],
  current_iteration: 1,
  current_iteration_start_date: '2026-11-01',
  schedule: 'recurring',
  enable_partial_responses: true,
  translations: { de: { name: 'Umfrage' } },
})

/** Each object in `value` without one of its optional members, and with null for it. */
const lacking = <T extends object>(value: T, needed: readonly string[] = []): [name: string, without: T][] =>
  Object.entries(value).flatMap(([name, each]): [string, T][] => {
    if (needed.includes(name)) return []
    const { [name as keyof T]: _, ...rest } = value
    const inside =
      typeof each === 'object' && each && !Array.isArray(each)
        ? lacking(each as object).map(([inner, changed]): [string, T] => [
            `${name}.${inner}`,
            { ...value, [name]: changed },
          ])
        : []
    return [[`no ${name}`, rest as T], [`null for ${name}`, { ...value, [name]: null }], ...inside]
  })

test.each([
  ...lacking(FULL, NEEDED.survey),
  ...QUESTIONS.flatMap((each) =>
    lacking({ ...COMMON, ...each } as SurveyQuestion, NEEDED.question).map(([name, question]): [string, Survey] => [
      `a ${each.type} question with ${name}`,
      survey({ questions: [question] }),
    ]),
  ),
])('a survey with %s is usable', (_, definition) => {
  const read = readSurvey(definition)!
  expect(read).toMatchObject({ id: 's1' })
  failedCondition(read, facts())
  translate(read, 'de')
})

test.each<[question: object, display: string, scale: number]>([
  [{}, 'number', 5],
  [{ scale: 10 }, 'number', 10],
  [{ display: 'number', scale: 3 }, 'number', 3],
  [{ scale: '7', display: null }, 'number', 7],
  [{ display: 'stars', scale: 5 }, 'number', 5],
  [{ display: 'emoji' }, 'emoji', 5],
  [{ scale: 2 }, 'emoji', 2],
  [{ display: 'number', scale: 2 }, 'emoji', 2],
])('a rating question of %j is drawn as %s of the scale %p', (rating, display, scale) => {
  const read = readSurvey(survey({ questions: [{ type: 'rating', question: '?', ...rating }] }))
  expect(read!.questions[0]).toMatchObject({ display, scale })
})

test.each([
  { url: {} },
  { selector: ['#a'] },
  { seenSurveyWaitPeriodInDays: 'often' },
  { linkedFlagVariant: {} },
  { events: 'bought' },
])('a survey with the malformed conditions %j is not shown to everybody', (conditions) => {
  expect(isUsable(survey({ conditions: conditions as never }))).toBe(false)
})

test('any definition of a survey is read without an error', () => {
  const any = fc.oneof(fc.constantFrom<unknown>(null, [], {}, '', '5', 5, true, [null]), fc.jsonValue({ maxDepth: 3 }))
  const some = (value: object) =>
    fc.record(
      Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fc.oneof(fc.constant(each), any)])),
      {
        requiredKeys: [],
      },
    )
  const question = fc.oneof(...QUESTIONS.map((each) => some({ ...COMMON, ...each })))
  const definition = fc
    .tuple(
      some(FULL),
      fc.array(question, { minLength: 1, maxLength: 3 }),
      some(FULL.conditions!),
      some(FULL.appearance!),
    )
    .map(([all, questions, conditions, appearance]) => ({ ...all, questions, conditions, appearance }))
  fc.assert(
    fc.property(definition, (value) => {
      const read = readSurvey(value)
      if (!read) return
      failedCondition(read, facts())
      translate(read, 'de')
      prefillFrom({ surveys: { prefillFromUrl: true } }, read, '?q0=1')
      for (const each of read.conditions?.events?.values ?? [])
        matchesEvent(each, { event: 'bought', properties: { size: 'L' } })
      const run = createRun({
        survey: read,
        progress: PROGRESS,
        isBegun: false,
        initial: {},
        passesAll: true,
        reports: { shown: () => {}, answered: () => {}, dismissed: () => {}, gone: () => {} },
      })
      run.leaveIntro()
      for (let step = 0; step < 10 && run.screen() === 'question'; step++) {
        run.change({ text: 'a long text', chosen: [0], rating: 1 })
        run.choices()
        run.position()
        run.next()
      }
    }),
    // A value that throws when it is converted to a number.
    { numRuns: 300, examples: [[{ ...survey(), current_iteration: { toString: {} } } as never]] },
  )
})

test('survey answers in the URL prefill choices by index and ratings in range', () => {
  const questions: SurveyQuestion[] = [
    { type: 'single_choice', question: '?', choices: ['a', 'b', 'c'] },
    { type: 'multiple_choice', question: '?', choices: ['a', 'b', 'c'] },
    { type: 'rating', question: '?', display: 'number', scale: 5 },
    { type: 'rating', question: '?', display: 'number', scale: 10 },
    { type: 'open', question: '?' },
  ]
  const read = (search: string, prefillFromUrl = true) =>
    prefillFrom({ surveys: { prefillFromUrl } }, survey({ questions }), search)
  expect(read('?q0=2&q1=0&q1=2&q2=5&q3=0&q4=text&embed=true')).toEqual({ 0: 'c', 1: ['a', 'c'], 2: 5, 3: 0 })
  expect(read('?q0=9&q1=-1&q2=0&q3=11&q0=%')).toEqual({})
  expect(read('?q0=2', false)).toEqual({})
})
