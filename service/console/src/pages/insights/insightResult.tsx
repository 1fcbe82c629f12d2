import type { ComponentChildren } from 'preact'
import type { QueryResult } from '../../api/query.ts'
import { formatAgo } from '../../lib/format.ts'
import type { LoadedQuery } from '../../lib/useQuery.ts'
import { Load, Progress, Skeleton } from '../../ui/states.tsx'

/** The result of an insight with its progress and age. */
export const InsightResult = ({
  of: loaded,
  children,
}: {
  readonly of: LoadedQuery
  readonly children: (data: QueryResult) => ComponentChildren
}) => (
  <div class="stack">
    <Progress isActive={loaded.isLoading} {...(loaded.share === undefined ? {} : { share: loaded.share })} />
    <Load of={loaded} skeleton={<Skeleton height={18} />}>
      {(data) => (
        <div class="stack">
          {children(data)}
          <div class="row between">
            <span class="small muted">Computed {formatAgo(data.last_refresh)}</span>
            <button type="button" class="button plain" onClick={() => loaded.reload({ force: true })}>
              Refresh
            </button>
          </div>
        </div>
      )}
    </Load>
  </div>
)
