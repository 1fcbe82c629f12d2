import { print } from '../../../sql/print/print.ts'
import { OTHER } from '../breakdown.ts'
import type { Insight, PlanOptions, Statement } from '../insight.ts'
import { eventsOf } from '../nodes.ts'
import { bucketsOf, nextInterval, type Period, periodOf, previousPeriod } from '../period.ts'
import { breakdownsOf } from '../shared.ts'
import { checkTrends, isTotalValue, type TrendsQuery } from './trendsQuery.ts'
import { shapeTrends } from './trendsShape.ts'
import { partsOf } from './trendsParts.ts'
import { scanOf } from './trendsScan.ts'
import { type TrendsPlan, unionOf } from './trendsStatement.ts'

/** Returns the plan of the period and, with a comparison, of the previous period. */
export const trendsPlans = (
  query: TrendsQuery,
  { context, filters, isFromExact, reading }: Omit<PlanOptions, 'projectId'>,
): readonly TrendsPlan[] => {
  const interval = query.interval ?? 'day'
  const { zone } = context
  const current = periodOf(query.dateRange ?? {}, { interval, zone, now: context.now, isFromExact })
  const planOf = (period: Period): TrendsPlan => {
    const buckets = isTotalValue(query) ? [period.from] : bucketsOf(period, interval, zone)
    const end = isTotalValue(query) ? period.until : nextInterval(interval, buckets.at(-1)!, zone)
    return { period, buckets, end, topPeriod: current, query, filters, context, reading }
  }
  const { compare, compare_to: to } = query.compareFilter ?? {}
  return [planOf(current), ...(compare ? [planOf(previousPeriod(current, to ?? undefined, zone))] : [])]
}

/** Returns the rows of all series: the series' index, the start of the interval, the breakdown key, and the value. */
const statementOf = (plan: TrendsPlan) => scanOf(plan) ?? unionOf(plan)

/** Trends: counts of events or people, or aggregates of numbers, as lines over time or as totals. */
export const TRENDS: Insight<TrendsQuery> = {
  check: checkTrends,
  events: ({ series }) => eventsOf(series),
  plan(query, { projectId, ...options }) {
    const plans = trendsPlans(query, options)
    const compares = plans.length > 1
    const printed = (plan: TrendsPlan): Statement => print(statementOf(plan), projectId)
    let statements: readonly Statement[] | undefined
    return {
      // Lazy, because a run from memory does not need the statements.
      get statements() {
        return (statements ??= plans.map(printed))
      },
      parts: partsOf(plans, printed),
      shape: (answers) => ({
        results: plans.flatMap((plan, index) =>
          shapeTrends(answers[index]!, plan, compares ? (index ? 'previous' : 'current') : undefined),
        ),
        hasMore: breakdownsOf(query).length > 0 && answers.some((rows) => rows.some(([, , key]) => key === OTHER)),
      }),
    }
  },
}
