import { useState } from 'preact/hooks'
import { useMutation } from '../../lib/useMutation.ts'
import { usePages } from '../../lib/usePages.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Select } from '../../ui/field.tsx'
import { PagedList } from '../../ui/pagedList.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { SearchInput } from '../../ui/searchInput.tsx'
import { Empty, Failed } from '../../ui/states.tsx'
import { type Issue, type IssueState, listIssues, mergeIssues, type Order, ORDERS, STATES } from './issueApi.ts'
import { IssuesTable } from './issuesTable.tsx'
import { PeriodSelect, periodDays } from './periodSelect.tsx'

const PAGE_SIZE = 50

const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label]) => ({ value, label }))

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
        order: (Object.hasOwn(ORDERS, order) ? order : 'last_seen') as Order,
        limit: PAGE_SIZE,
        offset: Number(cursor ?? 0),
        ...(Object.hasOwn(STATES, state) ? { state: state as IssueState } : {}),
        ...(wanted ? { search: wanted } : {}),
      },
      signal,
    )
    return { results: page.results, next: page.next === null ? null : String(page.next) }
  })
  const shown = checked.filter((each) => issues.items?.some((issue) => issue.id === each))
  const merge = useMutation(async () => {
    const [first, ...others] = shown
    await mergeIssues(id, first!, others)
    setChecked([])
    issues.reload()
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
      <PagedList
        pages={issues}
        noun={['issue', 'issues']}
        empty={<Nothing isFiltered={Boolean(wanted) || state !== 'active'} />}
      >
        {(all) => (
          <IssuesTable
            issues={all}
            checked={shown}
            onCheck={(issue, isChecked) =>
              setChecked((before) => (isChecked ? [...before, issue] : before.filter((each) => each !== issue)))
            }
          />
        )}
      </PagedList>
    </div>
  )
}

const Filters = () => (
  <div class="row">
    <SearchInput label="Search issues" placeholder="Type, message, file or function" />
    <Select
      label="State"
      value={search.value.get('state') ?? 'active'}
      options={[...optionsOf(STATES), { value: 'all', label: 'All states' }]}
      onChange={(value) => setSearch({ state: value === 'active' ? undefined : value })}
    />
    <PeriodSelect />
    <Select
      label="Order"
      value={search.value.get('order') ?? 'last_seen'}
      options={optionsOf(ORDERS)}
      onChange={(value) => setSearch({ order: value === 'last_seen' ? undefined : value })}
    />
  </div>
)

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  const link = useLink()
  return isFiltered ? (
    <Empty title="No issues match">
      <p>Search finds a part of the type, the message, the file or the function.</p>
    </Empty>
  ) : (
    <Empty title="No active errors">
      <p>
        Unhandled errors appear here once sites capture them. Errors that you catch are captured by{' '}
        <code>captureException(error)</code>.
      </p>
      <a class="button" href={link('settings', { tab: 'exceptions' })}>
        Choose what is captured
      </a>
    </Empty>
  )
}
