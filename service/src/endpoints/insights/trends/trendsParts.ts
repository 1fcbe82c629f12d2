import { OTHER } from '../breakdown.ts'
import type { Part, Parts, Statement } from '../insight.ts'
import { breakdownLimitOf, breakdownsOf } from '../shared.ts'
import { isTotalValue, mathOf } from './trendsQuery.ts'
import { isCounted, type TrendsPlan } from './trendsStatement.ts'

// Such a filter depends on the time of the run.
const HAS_DATES = /"operator":"is_date/

const intervalsOf = ({ period, buckets }: TrendsPlan): readonly Part[] =>
  buckets.map((start, at) => ({
    from: Math.max(start, period.from),
    until: buckets[at + 1] ?? period.until,
    start,
  }))

/**
 * Returns the intervals of a query. `undefined`: their rows depend on each other. Without "Other", the top values are all values, so a
 * value's number in an interval depends on the events of the interval only.
 */
export const partsOf = (
  plans: readonly TrendsPlan[],
  statementOf: (plan: TrendsPlan) => Statement,
): Parts | undefined => {
  const [plan] = plans as [TrendsPlan]
  const { query, filters } = plan
  const key = JSON.stringify([query.series, query.breakdownFilter, query.properties, filters])
  if (!query.series.every(isCounted) || isTotalValue(query) || HAS_DATES.test(key)) return undefined
  return {
    key,
    intervals: plans.map(intervalsOf),
    countsPeople: query.series.some((node) => mathOf(node) === 'dau'),
    statement(of) {
      const period = { from: of[0]!.from, until: of.at(-1)!.until }
      return statementOf({
        ...plan,
        period,
        topPeriod: period,
        buckets: of.map(({ start }) => start),
        end: period.until,
      })
    },
    areWhole([current, previous = []]) {
      if (breakdownsOf(query).length === 0) return true
      const keys = new Set(current!.map(([, , each]) => each))
      return keys.size <= breakdownLimitOf(query) && !keys.has(OTHER) && previous.every(([, , each]) => keys.has(each))
    },
  }
}
