import type { FilterContext, FilterGroup } from './filters.ts'
import type { SharedQuery } from './shared.ts'
import type { Reading } from './source.ts'

/** SQL for the engine. `params` are the values of its `{name:Type}` placeholders. */
export interface Statement {
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
}

export type InsightRows = readonly (readonly unknown[])[]

/** The results of an insight: a list, or an object for some kinds. */
export type InsightResults = readonly unknown[] | Readonly<Record<string, unknown>>

export interface InsightAnswer {
  readonly results: InsightResults
  /** Whether values were omitted or combined as "Other". */
  readonly hasMore: boolean
  /** Further fields of the response, by kind. */
  readonly [field: string]: unknown
}

export interface PlanOptions {
  readonly projectId: number
  readonly context: FilterContext
  /** Filters of the query and of the run's variables. */
  readonly filters: FilterGroup
  /** Whether the range begins at its exact start, rather than at the start of its first interval. */
  readonly isFromExact: boolean
  readonly reading: Reading
}

/** An interval of an insight. In ms since the epoch. */
export interface Part {
  readonly from: number
  readonly until: number
  /** The value of the rows' second column: the start of the interval, which may precede `from`. */
  readonly start: number
}

/** The intervals of an insight whose rows follow from the events of one interval each. */
export interface Parts {
  /** Identifies the insight and its filters, apart from its range. */
  readonly key: string
  /** Intervals of each statement, in order of time. */
  readonly intervals: readonly (readonly Part[])[]
  /** Whether the number of people is counted. */
  readonly countsPeople: boolean
  /** Returns a statement that returns the rows of some of the consecutive intervals. */
  statement(of: readonly Part[]): Statement
  /** Whether rows that were read by interval are those of the statements. */
  areWhole(answers: readonly InsightRows[]): boolean
}

/** The statements of a run, and the shape of its response. Results have the order of the statements. */
export interface Plan {
  /** Made on the first read. */
  readonly statements: readonly Statement[]
  /** Absent: the rows of an interval depend on other intervals. */
  readonly parts?: Parts | undefined
  shape(answers: readonly InsightRows[]): InsightAnswer
}

/** One kind of insight. */
export interface Insight<Query extends SharedQuery> {
  /** Whether a range may have an end without a start. */
  readonly beginsAlone?: boolean
  /** Whether it is computed from whole sessions, so that it cannot be materialized. */
  readonly readsSessions?: boolean
  /** Whether it is never materialized, although it reads events only. */
  readonly isLive?: boolean
  /** Throws `ApiError` unless a query of this kind can be run. */
  check(query: unknown, context: FilterContext): void
  /** Returns the names of all events that a query reads. `undefined`: any event. */
  events(query: Query): readonly string[] | undefined
  plan(query: Query, options: PlanOptions): Plan
}
