import { useState } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import { inProject } from '../../api/inProject.ts'
import { formatAgo, formatCompact, formatDateTime, formatWhole } from '../../lib/format.ts'
import { useLoad } from '../../lib/useLoad.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { useLink, useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Load } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { describeRollout, type Flag } from './draft.ts'
import styles from './flagsPage.module.css'

const USE_DAYS = 7
const USE = {
  kind: 'HogQLQuery',
  query: `SELECT properties.$feature_flag AS flag, count() AS times, uniq(person_id) AS people FROM events
WHERE event = '$feature_flag_called' AND timestamp > now() - INTERVAL ${USE_DAYS} DAY GROUP BY flag LIMIT 1000`,
}

interface Use {
  readonly times: number
  readonly people: number
}

/** How often each flag was evaluated lately, by key. */
const useFlagUse = (): ReadonlyMap<string, Use> | undefined => {
  const { data } = useQuery(USE, { maxAgeSeconds: 300 })
  const rows = data?.results as readonly (readonly [string | null, number, number])[] | undefined
  return rows && new Map(rows.map(([flag, times, people]) => [flag ?? '', { times, people }]))
}

/** The feature flags of a project. */
export const FlagsPage = () => {
  const { id } = useProject()
  const link = useLink()
  const flags = useLoad(`flags ${id}`, ({ signal }) =>
    dataOf(api.GET('/api/projects/{projectId}/feature_flags', { params: inProject(id), signal })),
  )
  return (
    <>
      <PageHead title="Flags" about="Turn features on for some people, or for all, without a release.">
        <a class="button primary" href={link('flags/new')}>
          <Icon name="plus" size={16} /> New flag
        </a>
      </PageHead>
      <Load of={flags}>{({ results }) => (results.length ? <FlagTable flags={results} /> : <NoFlags />)}</Load>
    </>
  )
}

const NoFlags = () => {
  const link = useLink()
  return (
    <Empty title="No flags yet">
      <p>
        A flag turns a feature on for the people you choose: half of them, those with a paid plan, or one colleague.
      </p>
      <a class="button primary" href={link('flags/new')}>
        Create the first flag
      </a>
    </Empty>
  )
}

const FlagTable = ({ flags }: { readonly flags: readonly Flag[] }) => {
  const { timezone } = useProject()
  const link = useLink()
  const use = useFlagUse()
  const [text, setText] = useState(search.value.get('search') ?? '')
  const wanted = text.trim().toLowerCase()
  const rows = flags.filter(({ key, name }) => `${key} ${name}`.toLowerCase().includes(wanted))
  const columns: readonly Column<Flag>[] = [
    {
      key: 'key',
      title: 'Flag',
      cell: ({ id, key, name }) => (
        <>
          <a class={styles.key} href={link(`flags/${id}`)}>
            {key}
          </a>
          {name && <span class={`${styles.name} clip`}>{name}</span>}
        </>
      ),
    },
    {
      key: 'state',
      title: 'State',
      cell: ({ active }) => <span class={active ? 'badge good' : 'badge'}>{active ? 'Active' : 'Inactive'}</span>,
    },
    { key: 'rollout', title: 'Roll-out', cell: ({ filters }) => describeRollout(filters) },
    {
      key: 'variants',
      title: 'Values',
      cell: ({ filters }) => filters.multivariate?.variants.map(({ key }) => key).join(', ') || 'on, off',
    },
    {
      key: 'use',
      title: <span title="Events $feature_flag_called">Use, {USE_DAYS} days</span>,
      isNumber: true,
      cell: ({ key }) => <UseCell use={use?.get(key)} isKnown={use !== undefined} />,
    },
    {
      key: 'updated',
      title: 'Changed',
      cell: ({ updated_at: at }) => <span title={formatDateTime(at, timezone)}>{formatAgo(at)}</span>,
    },
  ]
  return (
    <div class="stack">
      {(flags.length > 10 || text) && (
        <input
          class="input"
          type="search"
          aria-label="Search flags"
          placeholder="Search flags"
          style={{ maxWidth: '20rem' }}
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setSearch({ search: event.currentTarget.value || undefined }, { replace: true })
          }}
        />
      )}
      <Table caption="Feature flags" columns={columns} rows={rows} rowKey={({ id }) => id} />
      {!rows.length && <p class="muted">No flag has “{text}” in its key or description.</p>}
    </div>
  )
}

const UseCell = ({ use, isKnown }: { readonly use: Use | undefined; readonly isKnown: boolean }) => {
  if (!isKnown) return <span class="muted">…</span>
  if (!use) return <span class="muted">none</span>
  return (
    <span title={`${formatWhole(use.times)} evaluations by ${formatWhole(use.people)} people`}>
      {formatCompact(use.times)}
    </span>
  )
}
