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

/** The statements of a run, and the shape of its response. Results have the order of the statements. */
export interface Plan {
  readonly statements: readonly Statement[]
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
