import { checkInsight, isInsight, planInsight, UTC } from '../../../src/endpoints/insights/insights.ts'
import { parseFormula } from '../../../src/endpoints/insights/formula.ts'
import { ApiError } from '../../../src/lib/apiError.ts'

const visit = { kind: 'EventsNode', event: 'visit' }
const trends = (more: object = {}) => ({ kind: 'TrendsQuery', series: [visit], ...more })
const context = { zone: UTC, now: Date.parse('2026-01-31T12:00:00Z') }

const errorOf = (work: () => unknown): ApiError => {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('The query was not rejected')
}

test.each<[string, object, string, string]>([
  ['no series', { series: [] }, 'query.series', '1 to 26'],
  ['an unknown interval', { interval: 'fortnight' }, 'query.interval', '"minute", "hour", "day", "week", "month"'],
  ['an unknown field', { intervall: 'day' }, 'query.intervall', 'Omit it'],
  ['an unknown field inside', { series: [{ ...visit, maths: 'dau' }] }, 'query.series.0.maths', 'Omit it'],
  ['an unknown math', { series: [{ ...visit, math: 'mode' }] }, 'query.series.0.math', '"total"'],
  ['math without its property', { series: [{ ...visit, math: 'avg' }] }, 'query.series.0.math_property', 'required'],
  [
    'math over a cohort',
    { series: [{ ...visit, math: 'avg', math_property: 'x', math_property_type: 'cohort_properties' }] },
    'query.series.0.math_property_type',
    'event, person, group, session',
  ],
  [
    'math over an unknown session column',
    { series: [{ ...visit, math: 'avg', math_property: 'x', math_property_type: 'session_properties' }] },
    'query.series.0.math_property',
    '$session_duration',
  ],
  [
    'group math without a group type',
    { series: [{ ...visit, math: 'unique_group' }] },
    'query.series.0.math_group_type_index',
    'from 0 to 4',
  ],
  [
    'a group filter without a group type',
    { properties: [{ key: 'x', type: 'group', value: '1' }] },
    'query.properties.0.group_type_index',
    'from 0 to 4',
  ],
  [
    'a filter on an unknown session column',
    { properties: [{ key: 'x', type: 'session', value: '1' }] },
    'query.properties.0.key',
    '$entry_current_url',
  ],
  [
    'a group breakdown without a group type',
    { breakdownFilter: { breakdowns: [{ property: 'x', type: 'group', group_type_index: 9 }] } },
    'query.breakdownFilter',
    'from 0 to 4',
  ],
  ['an action', { series: [{ kind: 'ActionsNode', id: 1 }] }, 'query.series.0.kind', '"EventsNode"'],
  [
    'a cohort filter',
    { properties: [{ key: 'x', value: 'y', type: 'cohort' }] },
    'query.properties.0.type',
    '"cohort"',
  ],
  [
    'an invalid nested filter',
    { properties: { type: 'AND', values: [{ type: 'OR', values: [{ key: 'x', operator: 'like', value: 1 }] }] } },
    'query.properties.values.0.values.0.operator',
    'must be one of exact',
  ],
  [
    'a name on Object.prototype as operator',
    { properties: [{ key: 'x', operator: 'constructor', value: 1 }] },
    'query.properties.0.operator',
    'must be one of exact',
  ],
  ['no value', { properties: [{ key: 'x' }] }, 'query.properties.0.value', 'a string'],
  [
    'a string for a number',
    { properties: [{ key: 'x', operator: 'gt', value: 'many' }] },
    'query.properties.0.value',
    'a number',
  ],
  [
    'an invalid date',
    { properties: [{ key: 'x', operator: 'is_date_before', value: '2026-02-30' }] },
    'query.properties.0.value',
    '2026-01-31',
  ],
  ['invalid filters', { properties: 'x' }, 'query.properties', 'a list of filters'],
  [
    'a session breakdown',
    { breakdownFilter: { breakdown: 'x', breakdown_type: 'session' } },
    'query.breakdownFilter',
    '$session_duration',
  ],
  [
    'a breakdown named like a date variable',
    { breakdownFilter: { breakdown: 'date_from' } },
    'query.breakdownFilter',
    'date variable',
  ],
  [
    'a duplicate property',
    { breakdownFilter: { breakdowns: [{ property: 'x' }, { property: 'x' }] } },
    'query.breakdownFilter.breakdowns',
    'once',
  ],
  [
    'four breakdowns',
    { breakdownFilter: { breakdowns: ['a', 'b', 'c', 'd'].map((property) => ({ property })) } },
    'query.breakdownFilter.breakdowns',
    '0 to 3',
  ],
  ['a date that does not exist', { dateRange: { date_from: '2026-02-30' } }, 'query.dateRange.date_from', '2026-01-31'],
  ['all time', { dateRange: { date_from: 'all' } }, 'query.dateRange.date_from', '2026-01-31'],
  ['reversed dates', { dateRange: { date_from: '2026-01-02', date_to: '2026-01-01' } }, 'query.dateRange', 'Swap'],
  ['an unknown display', { trendsFilter: { display: 'Donut' } }, 'query.trendsFilter.display', '"BoldNumber"'],
  [
    'a breakdown limit of 0',
    { breakdownFilter: { breakdown: 'x', breakdown_limit: 0 } },
    'query.breakdownFilter.breakdown_limit',
    'from 1 to 1000',
  ],
  [
    'a histogram',
    { breakdownFilter: { breakdowns: [{ property: 'x', histogram_bin_count: 3 }] } },
    'query.breakdownFilter.breakdowns.0.histogram_bin_count',
    'null',
  ],
  ['an invalid formula', { trendsFilter: { formula: 'A + B' } }, 'query.trendsFilter', 'A to A'],
  ['test accounts', { filterTestAccounts: true }, 'query.filterTestAccounts', 'false'],
  ['a sampling factor', { samplingFactor: 0.1 }, 'query.samplingFactor', '1'],
])('rejects a trend with %s and names the field and accepted values', (_, more, field, words) => {
  const { code, details } = errorOf(() => checkInsight(trends(more), context))
  expect(code).toBe('query_invalid')
  expect(details.extra).toEqual({ field })
  expect(details.detail).toContain(`"${field}"`)
  expect(details.detail).toContain(words)
})

const buy = { kind: 'EventsNode', event: 'buy' }
const funnel = (funnelsFilter: object, more: object = {}) => ({
  kind: 'FunnelsQuery',
  series: [visit, buy],
  funnelsFilter,
  ...more,
})
const exclusion = (funnelFromStep: number, funnelToStep: number, more: object = {}) => ({
  exclusions: [{ kind: 'EventsNode', event: 'x', funnelFromStep, funnelToStep, ...more }],
})
const retention = (retentionFilter: object, more: object = {}) => ({ kind: 'RetentionQuery', retentionFilter, ...more })

test.each<[string, object, string, string]>([
  ['a funnel of one step', funnel({}, { series: [visit] }), 'query.series', '2 to 20'],
  [
    'an unknown order',
    funnel({ funnelOrderType: 'random' }),
    'query.funnelsFilter.funnelOrderType',
    '"ordered", "strict", "unordered"',
  ],
  ['an unknown view', funnel({ funnelVizType: 'flow' }), 'query.funnelsFilter.funnelVizType', '"time_to_convert"'],
  ['a window of length 0', funnel({ funnelWindowInterval: 0 }), 'query.funnelsFilter.funnelWindowInterval', 'from 1'],
  [
    'a window in years',
    funnel({ funnelWindowIntervalUnit: 'year' }),
    'query.funnelsFilter.funnelWindowIntervalUnit',
    '"month"',
  ],
  [
    'an optional step',
    funnel({}, { series: [visit, { ...buy, optionalInFunnel: true }] }),
    'query.series.1.optionalInFunnel',
    'false',
  ],
  [
    'reversed steps',
    funnel({ funnelFromStep: 1, funnelToStep: 0 }),
    'query.funnelsFilter',
    'less than its funnelToStep',
  ],
  ['an unknown step', funnel({ funnelToStep: 2 }), 'query.funnelsFilter', 'at most 1'],
  ['a reversed exclusion', funnel(exclusion(1, 1)), 'query.funnelsFilter.exclusions.0', 'between two steps'],
  ['an exclusion after the last step', funnel(exclusion(0, 2)), 'query.funnelsFilter.exclusions.0', 'at most 1'],
  [
    'an exclusion that is also a step',
    funnel(exclusion(0, 1, { event: 'buy' })),
    'query.funnelsFilter.exclusions.0',
    'is also step 1',
  ],
  [
    'a filter of an exclusion',
    funnel(exclusion(0, 1, { properties: [{ key: 'x', operator: 'like', value: 1 }] })),
    'query.funnelsFilter.exclusions.0.properties.0.operator',
    'must be one of exact',
  ],
  [
    'an exclusion in part of an unordered funnel',
    funnel({ funnelOrderType: 'unordered', ...exclusion(0, 1) }, { series: [visit, buy, { ...visit, event: 'y' }] }),
    'query.funnelsFilter.exclusions.0',
    'funnelToStep 2',
  ],
  [
    'a repeated step in an unordered funnel',
    funnel({ funnelOrderType: 'unordered' }, { series: [visit, buy, visit] }),
    'query.series.2',
    'repeats an earlier step',
  ],
  [
    'attribution to an unknown step',
    funnel({ breakdownAttributionType: 'step' }),
    'query.funnelsFilter.breakdownAttributionValue',
    'from 0 to 1',
  ],
  [
    'attribution to a later step of an unordered funnel',
    funnel({ funnelOrderType: 'unordered', breakdownAttributionType: 'step', breakdownAttributionValue: 1 }),
    'query.funnelsFilter.breakdownAttributionValue',
    'the first',
  ],
  [
    'an expression to aggregate by',
    funnel({ funnelAggregateByHogQL: 'x' }),
    'query.funnelsFilter.funnelAggregateByHogQL',
    'null',
  ],
  [
    'a session breakdown of a funnel',
    funnel({}, { breakdownFilter: { breakdown: 'x', breakdown_type: 'session' } }),
    'query.breakdownFilter',
    '$session_duration',
  ],
  [
    'an unknown kind of retention',
    retention({ retentionType: 'retention_last_time' }),
    'query.retentionFilter.retentionType',
    '"retention_first_time"',
  ],
  [
    'an unknown period',
    retention({ period: 'Year' }),
    'query.retentionFilter.period',
    '"Hour", "Day", "Week", "Month"',
  ],
  ['no intervals', retention({ totalIntervals: 0 }), 'query.retentionFilter.totalIntervals', 'from 1 to 366'],
  [
    'an action',
    retention({ targetEntity: { id: 1, type: 'actions' } }),
    'query.retentionFilter.targetEntity.id',
    'a string',
  ],
  [
    'an invalid filter of the returning event',
    retention({ returningEntity: { id: 'x', properties: [{ key: 'x', type: 'cohort', value: 1 }] } }),
    'query.retentionFilter.returningEntity.properties.0.type',
    '"cohort"',
  ],
  [
    'a minimum of two occurrences',
    retention({ minimumOccurrences: 2 }),
    'query.retentionFilter.minimumOccurrences',
    '1',
  ],
  [
    '24-hour windows',
    retention({ timeWindowMode: '24_hour_windows' }),
    'query.retentionFilter.timeWindowMode',
    '"strict_calendar_dates"',
  ],
  [
    'a retention with reversed dates',
    retention({}, { dateRange: { date_from: '2026-01-02', date_to: '2026-01-01' } }),
    'query.dateRange',
    'Swap',
  ],
])('rejects a funnel or retention with %s and names the field and accepted values', (_, query, field, words) => {
  const { code, details } = errorOf(() => checkInsight(query as never, context))
  expect(code).toBe('query_invalid')
  expect(details.extra).toEqual({ field })
  expect(details.detail).toContain(words)
})

test('accepts a retention range with only an end', () => {
  expect(() => checkInsight(retention({}, { dateRange: { date_to: '2025-01-01' } }) as never, context)).not.toThrow()
})

test.each(['constructor', 'toString', 'HogQLQuery', 'PathsQuery'])('rejects %s as a kind of insight', (kind) => {
  expect(isInsight({ kind })).toBe(false)
})

test.each<[Record<string, unknown>, [string, string][]]>([
  [{ plan: 'pro' }, [['plan', 'unknown']]],
  [{ browser: null }, [['browser', 'required']]],
  [{ browser: ['Chrome'] }, [['browser', 'wrong_type']]],
  [{ date_from: 7 }, [['date_from', 'wrong_type']]],
  [
    { date_from: '2026-02-30', date_to: 'soon', $browser: 1 },
    [
      ['$browser', 'unknown'],
      ['date_from', 'wrong_type'],
      ['date_to', 'wrong_type'],
    ],
  ],
  [{ date_to: 'all' }, [['date_to', 'wrong_type']]],
  [JSON.parse('{"__proto__": 1}'), [['__proto__', 'unknown']]],
])('rejects the insight variables %j by name', (variables, expected) => {
  const { code, details } = errorOf(() =>
    planInsight(trends({ breakdownFilter: { breakdown: 'browser' } }), {
      projectId: 1,
      variables,
      ...context,
    }),
  )
  expect(code).toBe('invalid_variables')
  expect(details.errors!.map(({ path, code }) => [path, code])).toEqual(expected)
})

test('rejects dates that contradict the stored ones and ranges with too many points', () => {
  const run = (variables: object, more: object = {}) =>
    errorOf(() =>
      planInsight(trends({ dateRange: { date_to: '2026-01-10' }, ...more }), {
        projectId: 1,
        variables: variables as never,
        ...context,
      }),
    )
  expect(run({ date_from: '2026-01-11', date_to: '2026-01-10' }).details.detail).toContain('Swap')
  expect(run({ date_from: '2025-01-01' }, { interval: 'minute' }).details).toMatchObject({
    attr: 'date_from',
    detail: expect.stringContaining('5000 intervals'),
  })
})

test.each<[string, object, object, string, string[], string[]]>([
  [
    'only "date_to", before the own start',
    { date_from: '2026-01-10' },
    { date_to: '2026-01-01' },
    'date_to',
    ['"date_to" (2026-01-01)', 'the insight\'s own "date_from" (2026-01-10)', 'Send "date_from" too'],
    ['Swap'],
  ],
  [
    'only "date_to", before the default start',
    {},
    { date_to: '2020-01-01' },
    'date_to',
    ['"date_to" (2020-01-01)', 'the default start of a range (-7d)'],
    ['Swap'],
  ],
  [
    'only "date_from", after the own end',
    { date_to: '2026-01-10' },
    { date_from: '2026-01-11' },
    'date_from',
    ['"date_from" (2026-01-11)', 'the insight\'s own "date_to" (2026-01-10)', 'Send "date_to" too'],
    ['Swap'],
  ],
  [
    'no date, and the own range is empty',
    { date_to: '2020-01-01' },
    {},
    'query',
    ['the insight\'s own "date_to" (2020-01-01)', 'dateRange'],
    ['Swap', 'Send'],
  ],
])('rejects a reversed range and names the field the caller sent: %s', (_, dateRange, variables, attr, has, lacks) => {
  const { details } = errorOf(() =>
    planInsight(trends({ dateRange }), { projectId: 1, variables: variables as never, ...context }),
  )
  expect(details.attr).toBe(attr)
  for (const words of has) expect(details.detail).toContain(words)
  for (const words of lacks) expect(details.detail).not.toContain(words)
})

test('an error about too many points names the date that was sent', () => {
  const { details } = errorOf(() =>
    planInsight(trends({ dateRange: { date_from: '2026-01-01' }, interval: 'minute' }), {
      projectId: 1,
      variables: { date_to: '2027-01-01' },
      ...context,
    }),
  )
  expect(details).toMatchObject({ attr: 'date_to', detail: expect.stringContaining('5000 intervals') })
})

test('an insight keeps values out of the SQL text', () => {
  const secret = "s3cret'`\\{x"
  const properties = [
    { key: 'x', value: secret },
    { key: 'x', operator: 'regex', value: secret },
  ]
  const query = trends({ properties, series: [{ ...visit, event: secret }], breakdownFilter: { breakdown: 'browser' } })
  const { statements } = planInsight(query, {
    projectId: 1,
    variables: { browser: secret, date_from: '-3d' },
    ...context,
  })
  for (const { text } of statements) expect(text).not.toContain('s3cret')
  const others = [
    funnel(
      {
        breakdownAttributionType: 'step',
        breakdownAttributionValue: 1,
        ...exclusion(0, 1, { event: secret, properties }),
      },
      { series: query.series.concat(buy), breakdownFilter: { breakdown: 'browser' } },
    ),
    retention(
      { targetEntity: { id: secret, properties }, returningEntity: { id: secret } },
      { breakdownFilter: { breakdown: 'browser' } },
    ),
  ]
  for (const other of others) {
    checkInsight(other, context)
    for (const { text } of planInsight(other, { projectId: 1, variables: { browser: secret }, ...context }).statements)
      expect(text).not.toContain('s3cret')
  }
})

test.each<[string, number | undefined]>([
  ['A', 6],
  ['A/B', 2],
  ['A - B - 1', 2],
  ['A * (B + 1)', 24],
  ['-A + 2.5', -3.5],
  ['A / (B - 3)', 0],
  ['2 * A / B', 4],
  ['', undefined],
  ['A B', undefined],
  ['C', undefined],
  ['A +', undefined],
  ['(A', undefined],
  ['A)', undefined],
  ['a', undefined],
  ['A; B', undefined],
  ['Math', undefined],
  ['1..2', undefined],
])('evaluates or rejects the formula %j', (text, expected) => {
  expect(parseFormula(text, 2)?.([6, 3])).toBe(expected)
})
