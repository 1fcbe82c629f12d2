type TokenProvider = () => Promise<string>
declare const CHART_TYPES: readonly ['line', 'area', 'bar', 'pie', 'number', 'table']
type ChartType = (typeof CHART_TYPES)[number]
declare const WORDS: {
  from: string
  to: string
  menu: string
  csv: string
  png: string
  empty: string
  loading: string
  chart: string
  hint: string
  series: string
  rows: string
}
type Words = typeof WORDS
interface ChartErrorDetail {
  readonly code: string
  readonly message: string
  readonly status: number
  readonly retryAfterMs?: number | undefined
}
interface TrailmarkChartAttributes {
  endpoint?: string
  host?: string
  token?: string
  'token-provider'?: string
  variables?: string
  type?: ChartType
  theme?: 'light' | 'dark'
  locale?: string
  refresh?: number | string
  from?: string
  to?: string
  title?: string
  'empty-text'?: string
}
interface TrailmarkChart extends HTMLElement {
  endpoint: string
  host: string
  token: string
  tokenProvider: TokenProvider | string
  variables: Readonly<Record<string, unknown>>
  type: ChartType | ''
  theme: string
  locale: string
  refresh: string | number
  from: string
  to: string
  emptyText: string
  words: Partial<Words>
  reload(): void
  toCSV(): string
  toPNG(): Promise<Blob>
  addEventListener(
    type: 'error',
    listener: (this: TrailmarkChart, event: CustomEvent<ChartErrorDetail>) => void,
    options?: boolean | AddEventListenerOptions,
  ): void
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void
}
interface DefineChartOptions {
  host?: string
}
declare const defineChart: ({ host }?: DefineChartOptions) => void
declare global {
  interface HTMLElementTagNameMap {
    'trailmark-chart': TrailmarkChart
  }
}
export { defineChart }
export type { ChartErrorDetail, DefineChartOptions, TrailmarkChart, TrailmarkChartAttributes }
