import type { FilterContext, FilterGroup } from './filters.ts'
import type { SharedQuery } from './shared.ts'
import type { Reading } from './source.ts'

/** SQL for the engine. `params` are the values of its `{name:Type}` places. */
export interface Statement {
  readonly text: string
  readonly params: Readonly<Record<string, unknown>>
}

export type InsightRows = readonly (readonly unknown[])[]

/** What the kind answers: a list, or an object where its protocol says so. */
export type InsightResults = readonly unknown[] | Readonly<Record<string, unknown>>

export interface InsightAnswer {
  readonly results: InsightResults
  /** Whether values were left out or put together as "Other". */
  readonly hasMore: boolean
}

export interface PlanOptions {
  readonly projectId: number
  readonly context: FilterContext
  /** The query's own filters and those that the run's variables add. */
  readonly filters: FilterGroup
  /** Whether the range begins where it says, not where its first interval does. */
  readonly isFromExact: boolean
  readonly reading: Reading
}

/** What to ask the engine, and what to make of its answers, which come in the same order. */
export interface Plan {
  readonly statements: readonly Statement[]
  shape(answers: readonly InsightRows[]): InsightAnswer
}

/** One kind of insight. */
export interface Insight<Query extends SharedQuery> {
  /** Whether it knows where to begin when a range only says where to end. */
  readonly beginsAlone?: boolean
  /** Throws `ApiError` if a query of this kind cannot be run. */
  check(query: unknown, context: FilterContext): void
  /** The names of all events that it looks at; absent: it may be any. */
  events(query: Query): readonly string[] | undefined
  plan(query: Query, options: PlanOptions): Plan
}
