/** The ways to draw a result. */
export const CHART_TYPES = ['line', 'area', 'bar', 'pie', 'number', 'table'] as const
export type ChartType = (typeof CHART_TYPES)[number]

/** A line, or the bars or slices of one color. */
export interface Series {
  readonly name: string
  /** One value for each x. null: none. */
  readonly values: readonly (number | null)[]
  /** Whether it is the period before, drawn with dashes. */
  readonly isComparison?: boolean | undefined
}

/** All values of a result, for tables and files. */
export interface Table {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  /** Whether cells are shaded by their share of the first number of their row. */
  readonly isShaded?: boolean
}

/** A result, ready to be drawn. */
export interface ChartData {
  readonly labels: readonly unknown[]
  /** Wall-clock times of the labels, in ms as if in UTC. Unset if the labels are categories. */
  readonly times?: readonly number[]
  readonly series: readonly Series[]
  readonly table: Table
  /** Value that `type="number"` shows. */
  readonly total: unknown
  readonly unit?: 'percent'
  /** The type that suits the data best. */
  readonly suits: ChartType
  /** Number of series that are in the table only. */
  readonly leftOut: number
}

export const NO_DATA: ChartData = {
  labels: [],
  series: [],
  table: { columns: [], rows: [] },
  total: null,
  suits: 'line',
  leftOut: 0,
}

/** Members of a run's response that a chart reads. */
export interface RunResult {
  readonly results?: unknown
  readonly columns?: unknown
  readonly types?: unknown
}
