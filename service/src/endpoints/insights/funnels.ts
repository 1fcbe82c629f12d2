import { print } from '../../sql/print/print.ts'
import { OTHER } from './breakdown.ts'
import type { FunnelPlan } from './funnelPeople.ts'
import { checkFunnels, type FunnelsQuery, SECONDS } from './funnelQuery.ts'
import { VIEWS } from './funnelViews.ts'
import type { Insight } from './insight.ts'
import { eventsOf } from './nodes.ts'
import { bucketsOf, periodOf } from './period.ts'

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
  plan(query, { projectId, context, filters, isFromExact, reading }) {
    const { funnelsFilter } = query
    const interval = query.interval ?? 'day'
    const view = VIEWS[funnelsFilter?.funnelVizType ?? 'steps']
    const period = periodOf(query.dateRange ?? {}, { interval, zone: context.zone, now: context.now, isFromExact })
    const plan: FunnelPlan = {
      query,
      order: funnelsFilter?.funnelOrderType ?? 'ordered',
      steps: query.series,
      exclusions: funnelsFilter?.exclusions ?? [],
      windowMs:
        (funnelsFilter?.funnelWindowInterval ?? 14) * SECONDS[funnelsFilter?.funnelWindowIntervalUnit ?? 'day'] * 1_000,
      attribution: funnelsFilter?.breakdownAttributionType ?? 'first_touch',
      attributionStep: funnelsFilter?.breakdownAttributionValue ?? 0,
      period,
      ...(view.isByInterval ? { buckets: bucketsOf(period, interval, context.zone) } : {}),
      filters,
      context,
      reading,
    }
    return {
      statements: [print(view.select(plan, query), projectId)],
      shape: ([rows]) => ({ results: view.shape(rows!, plan, query), hasMore: rows!.some(([key]) => key === OTHER) }),
    }
  },
}
