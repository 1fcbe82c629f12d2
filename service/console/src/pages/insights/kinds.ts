import type { Query } from '../../api/query.ts'
import { funnelQuery } from './funnelQuery.ts'
import { retentionQuery } from './retentionQuery.ts'
import { trendsQuery } from './trendsQuery.ts'

/** A kind of insight that the builder has. */
export interface InsightKind {
  readonly name: 'trends' | 'funnel' | 'retention'
  readonly label: string
  /** The kind of its query in the API. */
  readonly kind: string
  /** Reads its query from the URL. */
  readonly toQuery: (search: URLSearchParams) => Query | undefined
  /** Whether the page's period applies. */
  readonly hasPeriod: boolean
}

export const KINDS: readonly [InsightKind, ...InsightKind[]] = [
  { name: 'trends', label: 'Trends', kind: 'TrendsQuery', toQuery: trendsQuery, hasPeriod: true },
  { name: 'funnel', label: 'Funnel', kind: 'FunnelsQuery', toQuery: funnelQuery, hasPeriod: true },
  { name: 'retention', label: 'Retention', kind: 'RetentionQuery', toQuery: retentionQuery, hasPeriod: false },
]
