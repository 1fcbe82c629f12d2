import { formatNumber } from '../../lib/format.ts'

export type VitalName = 'LCP' | 'INP' | 'CLS' | 'FCP'

export interface Vital {
  readonly name: VitalName
  readonly title: string
  readonly about: string
  /** The largest values that are good and that need improvement, ms. CLS has no unit. */
  readonly thresholds: readonly [good: number, poor: number]
}

export const VITALS: readonly Vital[] = [
  { name: 'LCP', title: 'Largest Contentful Paint', about: 'When the main content is shown', thresholds: [2500, 4000] },
  {
    name: 'INP',
    title: 'Interaction to Next Paint',
    about: 'How long the page takes to respond',
    thresholds: [200, 500],
  },
  { name: 'CLS', title: 'Cumulative Layout Shift', about: 'How much the layout jumps', thresholds: [0.1, 0.25] },
  { name: 'FCP', title: 'First Contentful Paint', about: 'When something is shown', thresholds: [1800, 3000] },
]

/** One metric of some page views, as `WebVitalsQuery` returns it. */
export interface VitalValues {
  readonly count: number
  readonly good: number
  readonly needs_improvement: number
  readonly poor: number
  readonly p75: number | null
  readonly p90: number | null
  readonly p99: number | null
  readonly rating: Rating | null
}

export type Rating = 'good' | 'needs improvement' | 'poor'

export interface VitalRow {
  readonly breakdown_value: string | null
  readonly metrics: Readonly<Record<string, VitalValues>>
}

export interface VitalSeries {
  readonly interval: string
  readonly days: readonly string[]
  readonly data: Readonly<Record<string, readonly (number | null)[]>>
  readonly counts: Readonly<Record<string, readonly number[]>>
}

/** With fewer values, the p75 is not reliable. */
export const MIN_SAMPLES = 75

export const hasEnough = (values: Pick<VitalValues, 'count'> | undefined): boolean =>
  (values?.count ?? 0) >= MIN_SAMPLES

/** Writes a value of a metric: `2.51 s`, `180 ms`, or `0.05`. */
export const formatVital = (name: VitalName, value: number): string => {
  if (name === 'CLS') return formatNumber(Math.round(value * 1000) / 1000)
  return value < 1000 ? `${Math.round(value)} ms` : `${formatNumber(Math.round(value / 10) / 100)} s`
}

/** The p75 of each interval. `null` where there are too few values. */
export const lineOf = (series: VitalSeries, name: VitalName): readonly (number | null)[] =>
  (series.data[name] ?? []).map((value, index) => ((series.counts[name]?.[index] ?? 0) >= MIN_SAMPLES ? value : null))
