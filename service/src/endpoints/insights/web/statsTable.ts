import { type Static, Type } from '@sinclair/typebox'
import { call, infix, name, type SelectSql, type Sql, text } from '../../../sql/catalog/physical.ts'
import { print } from '../../../sql/print/print.ts'
import { isAnyOf } from '../../../sql/catalog/sessions.ts'
import { fieldError } from '../check.ts'
import type { Insight } from '../insight.ts'
import { column, from, lambda, number, part } from '../select.ts'
import { maybe, oneOf } from '../shared.ts'
import { bound, every, not } from '../source.ts'
import { type Breakdown, BREAKDOWN_NAMES, BREAKDOWNS } from './breakdowns.ts'
import { createVisits, hashOf, type Visits } from './visits.ts'
import { convertedPersons, median } from './webNumbers.ts'
import { checkWeb, periodsOf, WEB } from './webQuery.ts'

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 1_000

/** Fields of `orderBy`, and the columns of the table. */
const ORDER = {
  Visitors: 'visitors',
  Views: 'views',
  TotalConversions: 'total_conversions',
  UniqueConversions: 'unique_conversions',
  ConversionRate: 'conversion_rate',
  BounceRate: 'bounce_rate',
  AvgTimeOnPage: 'avg_time_on_page',
  AverageScrollPercentage: 'average_scroll_percentage',
  ScrollGt80Percentage: 'scroll_gt80_percentage',
} as const
type OrderField = keyof typeof ORDER
type ColumnName = (typeof ORDER)[OrderField] | 'time_on_page_count'

const STATS = Type.Object(
  {
    kind: Type.Literal('WebStatsTableQuery'),
    ...WEB,
    breakdownBy: oneOf(...BREAKDOWN_NAMES),
    includeBounceRate: maybe(Type.Boolean()),
    includeAvgTimeOnPage: maybe(Type.Boolean()),
    includeScrollDepth: maybe(Type.Boolean()),
    orderBy: maybe(Type.Tuple([oneOf(...(Object.keys(ORDER) as OrderField[])), oneOf('ASC', 'DESC')])),
    limit: maybe(Type.Integer({ minimum: 1, maximum: MAX_LIMIT })),
    offset: maybe(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
  },
  { additionalProperties: false },
)

type StatsQuery = Static<typeof STATS>

/** Longer stays on a page are cut: the page was open, not read. */
const MAX_SECONDS = 1_800
/** The share of a page beyond which it counts as read. */
const READ_SHARE = 0.8

const ROW = 'e'
const GROUP = 'g'
const VALUES = 'n'

const MISSING = call('toFloat64', text('nan'))
const isNumber = (of: Sql) => not(call('isNaN', of))

interface Entries {
  /** For each session, a list of (key, events, whether it is the session's first entry of the key). */
  readonly list: Sql
  /** Values of the keys, if keys are hashes. Otherwise a key is its value. */
  readonly values?: SelectSql
}

/** The stays of each session on its pages, as entries without events: (key, 0, 0, seconds on the page, share of the page that was seen). */
const staysOf = (visits: Visits): Sql => {
  const { sessions, previousPage } = visits
  const isStay = every([
    isAnyOf(sessions.row('event'), ['$pageview', '$pageleave']),
    call('isNotNull', previousPage.pathname),
  ])
  const listOf = (id: string, value: Sql) => sessions.aggregate(id, call('groupArrayIf', value, isStay))
  return call(
    'arrayMap',
    lambda(
      ['page', 'seconds', 'seen'],
      call(
        'tuple',
        name('page'),
        call('toUInt64', number(0)),
        call('toUInt8', number(0)),
        name('seconds'),
        name('seen'),
      ),
    ),
    listOf('stays', hashOf(call('ifNull', previousPage.pathname, text('')))),
    listOf('seconds', previousPage.seconds),
    listOf('seen', previousPage.seen),
  )
}

/** The entries of sessions. With `readsStays`, they have the elements of stays too. */
const entriesOf = (breakdown: Breakdown, visits: Visits, readsStays: boolean): Entries => {
  const { sessions } = visits
  if (breakdown.of === 'session') {
    const value = call('ifNull', breakdown.value(sessions), text(''))
    return { list: call('array', call('tuple', value, visits.viewsOfSession, call('toUInt8', number(1)))) }
  }
  const value = call('ifNull', breakdown.value(visits), text(''))
  const isCounted = every([
    breakdown.isCounted(visits),
    ...(breakdown.omitsMissing ? [infix(value, '!=', text(''))] : []),
  ])
  const keys = sessions.aggregate('keys', call('groupArrayIf', hashOf(value), isCounted))
  const noStay = readsStays ? [MISSING, MISSING] : []
  const counted = call(
    'arrayMap',
    lambda(
      ['key', 'nth'],
      call('tuple', name('key'), call('toUInt64', number(1)), infix(name('nth'), '=', number(1)), ...noStay),
    ),
    keys,
    call('arrayEnumerateUniq', keys),
  )
  return {
    list: readsStays ? call('arrayConcat', counted, staysOf(visits)) : counted,
    values: visits.valuesOfEvents(value, isCounted),
  }
}

/** The columns of a table, in order, each over the entries for which a condition holds. */
const columnsOf = (
  { breakdownBy, conversionGoal, includeBounceRate, includeAvgTimeOnPage, includeScrollDepth }: StatsQuery,
  visits: Visits,
): readonly { readonly name: ColumnName; readonly type: string; readonly of: (isIn: Sql) => Sql }[] => {
  const entry = name(ROW)
  const [key, views, isFirst, stayed, seen] = [1, 2, 3, 4, 5].map((place) => part(entry, place)) as [
    Sql,
    Sql,
    Sql,
    Sql,
    Sql,
  ]
  const seconds = call('least', stayed, number(MAX_SECONDS))
  // A page's bounces are those of the sessions that entered there.
  const isEntry =
    breakdownBy === 'Page'
      ? [
          infix(
            visits.value('entry', hashOf(call('ifNull', visits.sessions.column('$entry_pathname')!.read(), text('')))),
            '=',
            key,
          ),
        ]
      : []
  const bounce = includeBounceRate ? visits.isBounce : undefined
  const visitors = (isIn: Sql) => call('uniqExactIf', visits.person, every([isIn, isFirst]))
  const converted = (isIn: Sql) => convertedPersons(visits, [isIn, isFirst])
  return [
    { name: 'visitors', type: 'UInt64', of: visitors },
    ...(conversionGoal
      ? [
          {
            name: 'total_conversions' as const,
            type: 'UInt64',
            of: (isIn: Sql) => call('sumIf', visits.conversions, every([isIn, isFirst])),
          },
          { name: 'unique_conversions' as const, type: 'UInt64', of: converted },
          {
            name: 'conversion_rate' as const,
            type: 'Nullable(Float64)',
            of: (isIn: Sql) => infix(converted(isIn), '/', call('nullIf', visitors(isIn), number(0))),
          },
        ]
      : [{ name: 'views' as const, type: 'UInt64', of: (isIn: Sql) => call('sumIf', views, isIn) }]),
    ...(bounce
      ? [
          {
            name: 'bounce_rate' as const,
            type: 'Nullable(Float64)',
            of: (isIn: Sql) => call('avgIf', bounce, every([isIn, isFirst, ...isEntry])),
          },
        ]
      : []),
    ...(includeAvgTimeOnPage
      ? [
          {
            name: 'avg_time_on_page' as const,
            type: 'Nullable(Float64)',
            of: (isIn: Sql) => median(seconds, every([isIn, isNumber(stayed)])),
          },
          {
            name: 'time_on_page_count' as const,
            type: 'UInt64',
            of: (isIn: Sql) => call('countIf', every([isIn, isNumber(stayed)])),
          },
        ]
      : []),
    ...(includeScrollDepth
      ? [
          {
            name: 'average_scroll_percentage' as const,
            type: 'Nullable(Float64)',
            of: (isIn: Sql) => call('avgIf', seen, every([isIn, isNumber(seen)])),
          },
          {
            name: 'scroll_gt80_percentage' as const,
            type: 'Nullable(Float64)',
            of: (isIn: Sql) =>
              call('avgIf', infix(seen, '>', bound('Float64', READ_SHARE)), every([isIn, isNumber(seen)])),
          },
        ]
      : []),
  ]
}

const toCell = (value: unknown): number | null => (typeof value === 'number' ? value : null)

/** Web table: visitors, views and more by page, source, device or place. */
export const WEB_STATS_TABLE: Insight<StatsQuery> = {
  beginsAlone: true,
  check(query, context) {
    checkWeb(STATS, query, context)
    const { conversionGoal, breakdownBy, includeAvgTimeOnPage, includeScrollDepth, includeBounceRate, orderBy } =
      query as StatsQuery
    if (breakdownBy !== 'Page' && (includeAvgTimeOnPage || includeScrollDepth))
      throw fieldError(
        includeAvgTimeOnPage ? 'includeAvgTimeOnPage' : 'includeScrollDepth',
        'is available with "breakdownBy": "Page" only',
      )
    const needs: Partial<Record<OrderField, readonly [field: string, isIncluded: boolean]>> = {
      TotalConversions: ['conversionGoal', Boolean(conversionGoal)],
      UniqueConversions: ['conversionGoal', Boolean(conversionGoal)],
      ConversionRate: ['conversionGoal', Boolean(conversionGoal)],
      BounceRate: ['includeBounceRate', Boolean(includeBounceRate)],
      AvgTimeOnPage: ['includeAvgTimeOnPage', Boolean(includeAvgTimeOnPage)],
      AverageScrollPercentage: ['includeScrollDepth', Boolean(includeScrollDepth)],
      ScrollGt80Percentage: ['includeScrollDepth', Boolean(includeScrollDepth)],
    }
    if (orderBy?.[0] === 'Views' && conversionGoal)
      throw fieldError('orderBy', 'cannot be Views with "conversionGoal", which replaces that column')
    const need = orderBy && needs[orderBy[0]]
    if (need && !need[1]) throw fieldError('orderBy', `by ${orderBy[0]} requires "${need[0]}"`)
  },
  events: () => undefined,
  readsSessions: true,
  plan(query, { projectId, context, filters, reading }) {
    const { breakdownBy, orderBy, includeAvgTimeOnPage, includeScrollDepth } = query
    const [limit, offset] = [query.limit ?? DEFAULT_LIMIT, query.offset ?? 0]
    const [orderField, direction] = orderBy ?? ['Visitors', 'DESC']
    const periods = periodsOf(query, context)
    const visits = createVisits({ periods, filters, context, reading, goal: query.conversionGoal })
    const columns = columnsOf(query, visits)
    const { list, values } = entriesOf(
      BREAKDOWNS[breakdownBy],
      visits,
      Boolean(includeAvgTimeOnPage || includeScrollDepth),
    )
    const entries = visits.value('entries', list)
    const each = periods.previous ? [0, 1] : [0]
    const rows: SelectSql = {
      kind: 'select',
      items: [
        column(part(name(ROW), 1), 'key'),
        ...columns.flatMap(({ name: as, of }) =>
          each.map((period) => column(of(infix(visits.period, '=', number(period))), `${as} ${period}`)),
        ),
      ],
      from: visits.toSql(),
      arrayJoin: { isLeft: false, items: [column(entries, ROW)] },
      groupBy: [part(name(ROW), 1)],
      having: infix(call('sum', part(name(ROW), 2)), '>', number(0)),
    }
    const cell = (as: string, period = 0) => name(GROUP, `${as} ${period}`)
    const value = values ? name(VALUES, 'value') : name(GROUP, 'key')
    const sorted = cell(ORDER[orderField])
    // The share of the whole, or the rate itself.
    const fill: Sql = ['Visitors', 'Views', 'TotalConversions', 'UniqueConversions'].includes(orderField)
      ? infix(
          sorted,
          '/',
          call(
            'greatest',
            { kind: 'call', name: 'sum', args: [sorted], over: { partitionBy: [], orderBy: [] } },
            number(1),
          ),
        )
      : sorted
    const statement: SelectSql = {
      kind: 'select',
      items: [
        column(value, 'value'),
        ...columns.flatMap(({ name: as }) => each.map((period) => column(cell(as, period), `${as} ${period}`))),
        column(fill, 'fill'),
      ],
      from: values
        ? {
            kind: 'join',
            join: 'left',
            left: from(rows, GROUP),
            right: from(values, VALUES),
            on: infix(name(GROUP, 'key'), '=', name(VALUES, 'hash')),
          }
        : from(rows, GROUP),
      orderBy: [
        { by: sorted, isDescending: direction === 'DESC', nulls: 'last' },
        { by: cell('visitors'), isDescending: true },
        { by: cell(query.conversionGoal ? 'total_conversions' : 'views'), isDescending: true },
        { by: value, isDescending: false },
      ],
      limit: bound('UInt64', limit + 1),
      offset: bound('UInt64', offset),
    }
    return {
      statements: [print(statement, projectId)],
      shape: ([found]) => ({
        results: found!.slice(0, limit).map(([value, ...cells]) => [
          value === '' ? null : value,
          ...columns.map((_, index) => {
            const first = index * each.length
            return [toCell(cells[first]), periods.previous ? toCell(cells[first + 1]) : null]
          }),
          toCell(cells.at(-1)),
        ]),
        columns: ['breakdown_value', ...columns.map(({ name }) => name), 'ui_fill_fraction'].map(
          (each) => `context.columns.${each}`,
        ),
        types: [
          ['context.columns.breakdown_value', 'Nullable(String)'],
          ...columns.map(({ name, type }) => [
            `context.columns.${name}`,
            `Tuple(${type}, Nullable(${type.replace(/^Nullable\((.*)\)$/, '$1')}))`,
          ]),
          ['context.columns.ui_fill_fraction', 'Nullable(Float64)'],
        ],
        hasMore: found!.length > limit,
        limit,
        offset,
      }),
    }
  },
}
