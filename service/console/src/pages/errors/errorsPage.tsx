import { useState } from 'preact/hooks'
import { formatWhole } from '../../lib/format.ts'
import { useMutation } from '../../lib/useMutation.ts'
import { usePages } from '../../lib/usePages.ts'
import { useSearchText } from '../../lib/useSearchText.ts'
import { useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Failed, Progress, Skeleton } from '../../ui/states.tsx'
import styles from './errors.module.css'
import { type Issue, type IssueState, listIssues, mergeIssues, type Order, ORDERS, STATES } from './issueApi.ts'
import { IssuesTable } from './issuesTable.tsx'
import { PeriodSelect, periodDays } from './periodSelect.tsx'

const PAGE_SIZE = 50

/** Issues: errors of visitors, grouped by cause. Filters are in the URL. */
export const ErrorsPage = () => {
  const { id } = useProject()
  const state = search.value.get('state') ?? 'active'
  const order = search.value.get('order') ?? 'last_seen'
  const wanted = search.value.get('search') ?? ''
  const days = periodDays()
  const [checked, setChecked] = useState<readonly string[]>([])
  const issues = usePages<Issue>(`issues ${id} ${state} ${order} ${days} ${wanted}`, async (cursor, signal) => {
    const page = await listIssues(
      id,
      {
        days,
        order: (order in ORDERS ? order : 'last_seen') as Order,
        limit: PAGE_SIZE,
        offset: Number(cursor ?? 0),
        ...(state in STATES ? { state: state as IssueState } : {}),
        ...(wanted ? { search: wanted } : {}),
      },
      signal,
    )
    return { results: page.results, next: page.next === null ? null : String(page.next) }
  })
  const { items, error, hasMore, isLoading, more, reload } = issues
  const shown = checked.filter((each) => items?.some((issue) => issue.id === each))
  const merge = useMutation(async () => {
    const [first, ...others] = shown
    await mergeIssues(id, first!, others)
    setChecked([])
    reload()
  })
  return (
    <div class="stack">
      <PageHead title="Errors" about="Exceptions of visitors, grouped by cause">
        {shown.length > 1 && (
          <button type="button" class="button" disabled={merge.isRunning} onClick={() => void merge.run()}>
            Merge {shown.length} issues
          </button>
        )}
      </PageHead>
      <Filters />
      {merge.error && <Failed error={merge.error} />}
      <Progress isActive={isLoading} />
      {error && <Failed error={error} onRetry={more} />}
      {!items && !error && <Skeleton lines={12} />}
      {items?.length === 0 && !isLoading && <Nothing isFiltered={Boolean(wanted) || state !== 'active'} />}
      {items && items.length > 0 && (
        <div class={isLoading && !hasMore ? 'stack is-stale' : 'stack'} aria-busy={isLoading}>
          <IssuesTable
            issues={items}
            checked={shown}
            onCheck={(issue, isChecked) =>
              setChecked((before) => (isChecked ? [...before, issue] : before.filter((each) => each !== issue)))
            }
          />
          <div class="row">
            {hasMore && (
              <button type="button" class="button" disabled={isLoading} onClick={more}>
                {isLoading ? 'Loading …' : 'Load more'}
              </button>
            )}
            <span class="muted small" role="status">
              {formatWhole(items.length)} {items.length === 1 ? 'issue' : 'issues'}
              {hasMore ? ' so far' : ''}
            </span>
          </div>
        </div>
      )}
    </div>
  )
}

const Filters = () => {
  const [text, setText] = useSearchText('search')
  return (
    <div class="row">
      <input
        class={`input ${styles.search}`}
        type="search"
        aria-label="Search issues"
        placeholder="Type, message, file or function"
        autocomplete="off"
        maxLength={200}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <select
        class="input"
        aria-label="State"
        value={search.value.get('state') ?? 'active'}
        onChange={({ currentTarget: { value } }) => setSearch({ state: value === 'active' ? undefined : value })}
      >
        {Object.entries(STATES).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
        <option value="all">All states</option>
      </select>
      <PeriodSelect />
      <select
        class="input"
        aria-label="Order"
        value={search.value.get('order') ?? 'last_seen'}
        onChange={({ currentTarget: { value } }) => setSearch({ order: value === 'last_seen' ? undefined : value })}
      >
        {Object.entries(ORDERS).map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <Empty title="No issue fits">
      <p>Search finds a part of the type, the message, the file or the function.</p>
    </Empty>
  ) : (
    <Empty title="No active errors">
      <p>
        Unhandled errors appear here once the SDK captures them: pass <code>capture_exceptions: true</code> to{' '}
        <code>init</code>. Errors that you catch are captured by <code>captureException(error)</code>.
      </p>
    </Empty>
  )
