import { print } from '../../sql/print/print.ts'
import { OTHER } from './breakdown.ts'
import type { FunnelPlan } from './funnelPeople.ts'
import { checkFunnels, type FunnelsQuery, SECONDS } from './funnelQuery.ts'
import { type View, VIEWS } from './funnelViews.ts'
import type { Insight, PlanOptions } from './insight.ts'
import { eventsOf } from './nodes.ts'
import { bucketsOf, periodOf } from './period.ts'

const viewOf = ({ funnelsFilter }: FunnelsQuery): View => VIEWS[funnelsFilter?.funnelVizType ?? 'steps']

/** Returns the plan of a funnel. */
export const funnelPlanOf = (
  query: FunnelsQuery,
  { context, filters, isFromExact, reading }: Omit<PlanOptions, 'projectId'>,
): FunnelPlan => {
  const { funnelsFilter } = query
  const interval = query.interval ?? 'day'
  const period = periodOf(query.dateRange ?? {}, { interval, zone: context.zone, now: context.now, isFromExact })
  return {
    query,
    order: funnelsFilter?.funnelOrderType ?? 'ordered',
    steps: query.series,
    exclusions: funnelsFilter?.exclusions ?? [],
    windowMs:
      (funnelsFilter?.funnelWindowInterval ?? 14) * SECONDS[funnelsFilter?.funnelWindowIntervalUnit ?? 'day'] * 1_000,
    attribution: funnelsFilter?.breakdownAttributionType ?? 'first_touch',
    attributionStep: funnelsFilter?.breakdownAttributionValue ?? 0,
    period,
    ...(viewOf(query).isByInterval ? { buckets: bucketsOf(period, interval, context.zone) } : {}),
    filters,
    context,
    reading,
  }
}

/**
 * Funnels: how many people complete a sequence of steps, how long they take, or the share of those who start that
 * complete it.
 */
export const FUNNELS: Insight<FunnelsQuery> = {
  check: checkFunnels,
  // A strict funnel is interrupted by any event.
  events: ({ series, funnelsFilter }) =>
    funnelsFilter?.funnelOrderType === 'strict'
      ? undefined
      : eventsOf([...series, ...(funnelsFilter?.exclusions ?? [])]),
  plan(query, { projectId, ...options }) {
    const view = viewOf(query)
    const plan = funnelPlanOf(query, options)
    return {
      statements: [print(view.select(plan, query), projectId)],
      shape: ([rows]) => ({ results: view.shape(rows!, plan, query), hasMore: rows!.some(([key]) => key === OTHER) }),
    }
  },
}
