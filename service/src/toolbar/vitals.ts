import { type Static, Type } from '@sinclair/typebox'

const METRICS = ['LCP', 'INP', 'CLS', 'FCP', 'TTFB'] as const
const DAYS = 7

/** Web vitals of a path, of the last 7 days. */
export const TOOLBAR_VITALS = Type.Object({
  results: Type.Array(
    Type.Object({
      metric: Type.String(),
      p75: Type.Union([Type.Number(), Type.Null()], {
        description: 'In ms, CLS without a unit. null: no page view had the metric',
      }),
      count: Type.Integer({ description: 'Page views with the metric' }),
      rating: Type.Union([Type.String(), Type.Null()], { description: 'good, needs improvement or poor' }),
    }),
  ),
})
export type ToolbarVitals = Static<typeof TOOLBAR_VITALS>

/** Returns the query of the web vitals of a path. */
export const vitalsQuery = (path: string): Readonly<Record<string, unknown>> => ({
  kind: 'WebVitalsQuery',
  metrics: METRICS,
  dateRange: { date_from: `-${DAYS}d` },
  properties: [{ type: 'event', key: '$pathname', operator: 'exact', value: path }],
})

type Metrics = Readonly<Record<string, { p75: number | null; count: number; rating: string | null }>>

/** Returns what the toolbar shows of the rows of `vitalsQuery`: one row, or none without events. */
export const toToolbarVitals = (rows: unknown): ToolbarVitals => {
  const [row] = rows as readonly { readonly metrics: Metrics }[]
  return {
    results: METRICS.map((metric) => {
      const { p75 = null, count = 0, rating = null } = row?.metrics[metric] ?? {}
      return { metric, p75, count, rating }
    }),
  }
}
