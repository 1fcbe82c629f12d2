import { type Static, Type } from '@sinclair/typebox'

const METRICS = ['LCP', 'INP', 'CLS', 'FCP', 'TTFB'] as const
const DAYS = 7

const VITAL = Type.Object({
  p75: Type.Union([Type.Number(), Type.Null()], {
    description: 'ms, for CLS without a unit. null: no page view had the metric',
  }),
  count: Type.Integer({ description: 'Page views with the metric' }),
  rating: Type.Union([Type.Literal('good'), Type.Literal('needs improvement'), Type.Literal('poor'), Type.Null()]),
})

/** Web vitals of a path, of the last 7 days. */
export const TOOLBAR_VITALS = Type.Object({
  path: Type.String(),
  days: Type.Integer(),
  metrics: Type.Object({ LCP: VITAL, INP: VITAL, CLS: VITAL, FCP: VITAL, TTFB: VITAL }),
})
export type ToolbarVitals = Static<typeof TOOLBAR_VITALS>

type Vital = Static<typeof VITAL>

const NONE: Vital = { p75: null, count: 0, rating: null }

/** Returns the query of the web vitals of a path. */
export const vitalsQuery = (path: string): Readonly<Record<string, unknown>> => ({
  kind: 'WebVitalsQuery',
  metrics: METRICS,
  dateRange: { date_from: `-${DAYS}d` },
  properties: [{ type: 'event', key: '$pathname', operator: 'exact', value: path }],
})

/** Returns what the toolbar shows of the rows of that query, which has one row, or none without events. */
export const toToolbarVitals = (path: string, results: unknown): ToolbarVitals => {
  const [row] = results as readonly { readonly metrics: Readonly<Record<string, Vital>> }[]
  const vital = (metric: (typeof METRICS)[number]): Vital => {
    const { p75, count, rating } = row?.metrics[metric] ?? NONE
    return { p75, count, rating }
  }
  return {
    path,
    days: DAYS,
    metrics: { LCP: vital('LCP'), INP: vital('INP'), CLS: vital('CLS'), FCP: vital('FCP'), TTFB: vital('TTFB') },
  }
}
