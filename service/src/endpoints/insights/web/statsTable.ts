import { type Static, Type } from '@sinclair/typebox'
import { call, infix, name, type SelectSql, type Sql, text } from '../../../sql/catalog/physical.ts'
import { print } from '../../../sql/print/print.ts'
import { checkShape, fieldError } from '../check.ts'
import { finiteNumber } from '../filters.ts'
import type { Insight } from '../insight.ts'
import { column, from, lambda, number, part } from '../select.ts'
import { filtersOf, maybe, oneOf } from '../shared.ts'
import { bound, every } from '../source.ts'
import { type Breakdown, BREAKDOWN_NAMES, BREAKDOWNS, leavesPage } from './breakdowns.ts'
import { createVisits, splitFilters, type Visits } from './visits.ts'
import { checkCompare, periodsOf, WEB } from './webQuery.ts'

const DEFAULT_LIMIT = 10
const MAX_LIMIT = 1_000

/** Fields of `orderBy`, and the columns of the table. */
const ORDER = {
  Visitors: 'visitors',
  Views: 'views',
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

const isNumber = (of: Sql) => call('isNotNull', of)
const nothing = call('CAST', { kind: 'null' }, text('Nullable(Float64)'))

/**
 * The entries of each session: lists of (value, events, whether it is the session's first entry of the value, seconds
 * on the page, share of the page that was seen). An entry has events, or the seconds and the share of one stay.
 */
const entriesOf = (breakdown: Breakdown, visits: Visits, readsStays: boolean): Sql => {
  const { sessions, eventProperty } = visits
  if (breakdown.of === 'session')
    return call(
      'array',
      call(
        'tuple',
        call('ifNull', breakdown.value(sessions), text('')),
        visits.viewsOfSession,
        call('toUInt8', number(1)),
        nothing,
        nothing,
      ),
    )
  const value = breakdown.value(visits)
  const isCounted = breakdown.omitsMissing
    ? every([breakdown.isCounted(visits), infix(call('ifNull', value, text('')), '!=', text(''))])
    : breakdown.isCounted(visits)
  const values = sessions.aggregate('values', call('groupArrayIf', call('ifNull', value, text('')), isCounted))
  const one = call('toUInt64', number(1))
  const counted = call(
    'arrayMap',
    lambda(['value', 'nth'], call('tuple', name('value'), one, infix(name('nth'), '=', number(1)), nothing, nothing)),
    values,
    call('arrayEnumerateUniq', values),
  )
  if (!readsStays) return counted
  const stay = call(
    'tuple',
    call('assumeNotNull', eventProperty('$prev_pageview_pathname')),
    call('least', finiteNumber(eventProperty('$prev_pageview_duration')), number(MAX_SECONDS)),
    finiteNumber(eventProperty('$prev_pageview_max_content_percentage')),
  )
  const stays = sessions.aggregate('stays', call('groupArrayIf', stay, leavesPage(visits)))
  const stayed = call(
    'arrayMap',
    lambda(
      ['stay'],
      call(
        'tuple',
        part(name('stay'), 1),
        call('toUInt64', number(0)),
        call('toUInt8', number(0)),
        part(name('stay'), 2),
        part(name('stay'), 3),
      ),
    ),
    stays,
  )
  return call('arrayConcat', counted, stayed)
}

const quantile = (...args: readonly Sql[]): Sql => ({
  kind: 'call',
  name: 'quantileExactInclusiveIf',
  parameters: [{ kind: 'number', digits: '0.5' }],
  args,
})

/** The columns of a table, in order, each over the entries for which a condition holds. */
const columnsOf = (
  { breakdownBy, includeBounceRate, includeAvgTimeOnPage, includeScrollDepth }: StatsQuery,
  visits: Visits,
): readonly { readonly name: ColumnName; readonly type: string; readonly of: (isIn: Sql) => Sql }[] => {
  const entry = name(ROW)
  const [value, views, isFirst, seconds, seen] = [1, 2, 3, 4, 5].map((place) => part(entry, place)) as [
    Sql,
    Sql,
    Sql,
    Sql,
    Sql,
  ]
  // A page's bounces are those of the sessions that entered there.
  const isEntry =
    breakdownBy === 'Page'
      ? [
          infix(
            visits.value('entry', call('ifNull', visits.sessions.column('$entry_pathname')!.read(), text(''))),
            '=',
            value,
          ),
        ]
      : []
  const bounce = includeBounceRate ? visits.isBounce : undefined
  return [
    { name: 'visitors', type: 'UInt64', of: (isIn) => call('uniqExactIf', visits.person, every([isIn, isFirst])) },
    { name: 'views', type: 'UInt64', of: (isIn) => call('sumIf', views, isIn) },
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
            of: (isIn: Sql) => quantile(seconds, every([isIn, isNumber(seconds)])),
          },
          {
            name: 'time_on_page_count' as const,
            type: 'UInt64',
            of: (isIn: Sql) => call('countIf', every([isIn, isNumber(seconds)])),
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
    checkShape(STATS, query)
    const checked = query as StatsQuery
    checkCompare(checked)
    splitFilters(filtersOf(checked.properties, 'properties', context))
    const { breakdownBy, includeAvgTimeOnPage, includeScrollDepth, includeBounceRate, orderBy } = checked
    if (breakdownBy !== 'Page' && (includeAvgTimeOnPage || includeScrollDepth))
      throw fieldError(
        includeAvgTimeOnPage ? 'includeAvgTimeOnPage' : 'includeScrollDepth',
        'is available with "breakdownBy": "Page" only',
      )
    const needs: Partial<Record<OrderField, readonly [field: string, isIncluded: boolean]>> = {
      BounceRate: ['includeBounceRate', Boolean(includeBounceRate)],
      AvgTimeOnPage: ['includeAvgTimeOnPage', Boolean(includeAvgTimeOnPage)],
      AverageScrollPercentage: ['includeScrollDepth', Boolean(includeScrollDepth)],
      ScrollGt80Percentage: ['includeScrollDepth', Boolean(includeScrollDepth)],
    }
    const need = orderBy && needs[orderBy[0]]
    if (need && !need[1]) throw fieldError('orderBy', `by ${orderBy[0]} requires "${need[0]}": true`)
  },
  events: () => undefined,
  readsSessions: true,
  plan(query, { projectId, context, filters }) {
    const { breakdownBy, orderBy, includeAvgTimeOnPage, includeScrollDepth } = query
    const [limit, offset] = [query.limit ?? DEFAULT_LIMIT, query.offset ?? 0]
    const [orderField, direction] = orderBy ?? ['Visitors', 'DESC']
    const periods = periodsOf(query, context)
    const visits = createVisits({ periods, filters, context })
    const columns = columnsOf(query, visits)
    const entries = visits.value(
      'entries',
      entriesOf(BREAKDOWNS[breakdownBy], visits, Boolean(includeAvgTimeOnPage || includeScrollDepth)),
    )
    const each = periods.previous ? [0, 1] : [0]
    const rows: SelectSql = {
      kind: 'select',
      items: [
        column(part(name(ROW), 1), 'value'),
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
    const sorted = cell(ORDER[orderField])
    // The share of the whole, or the rate itself.
    const fill: Sql =
      orderField === 'Visitors' || orderField === 'Views'
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
        column(name(GROUP, 'value'), 'value'),
        ...columns.flatMap(({ name: as }) => each.map((period) => column(cell(as, period), `${as} ${period}`))),
        column(fill, 'fill'),
      ],
      from: from(rows, GROUP),
      orderBy: [
        { by: sorted, isDescending: direction === 'DESC', nulls: 'last' },
        { by: cell('visitors'), isDescending: true },
        { by: cell('views'), isDescending: true },
        { by: name(GROUP, 'value'), isDescending: false },
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
