import { useEffect, useMemo, useRef } from 'preact/hooks'
import { api, ask } from '../../api/client.ts'
import type { Filter } from '../../lib/filters.ts'
import { formatWhole } from '../../lib/format.ts'
import { type Pages, usePages } from '../../lib/usePages.ts'
import { useVirtualRows } from '../../lib/useVirtualRows.ts'
import { useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { EventDialog, openEvent } from '../../ui/eventDialog.tsx'
import { EventMenu } from '../../ui/eventMenu.tsx'
import { Empty, Failed, Skeleton } from '../../ui/states.tsx'
import styles from './people.module.css'
import { type Entry, type Item, itemsOf, toEntry } from './timelineItems.ts'
import { TimelineRow } from './timelineRow.tsx'
import { useRecordedSessions } from './useRecordedSessions.ts'

const PAGE_SIZE = 200

/** Heights in px, as in people.module.css. */
const HEIGHTS: Readonly<Record<Item['kind'], number>> = { session: 48, event: 40 }

/** The events of a person by session, newest first. It loads more while it is scrolled. */
export const Timeline = ({
  personId,
  onFilter,
}: {
  readonly personId: string
  readonly onFilter: (filter: Filter) => void
}) => {
  const { id } = useProject()
  const names = search.value.getAll('event')
  const openId = search.value.get('open') ?? undefined
  const timeline = usePages<Entry>(`timeline ${id} ${personId} ${JSON.stringify(names)}`, async (cursor, signal) => {
    const query = { limit: PAGE_SIZE, ...(names.length ? { event: names } : {}), ...(cursor ? { cursor } : {}) }
    const params = { path: { projectId: String(id), id: personId }, query }
    const page = await ask(api.GET('/api/projects/{projectId}/persons/{id}/events', { params, signal }))
    return { results: page.results.map(toEntry), next: page.next }
  })
  return (
    <div class="stack">
      <div class="row">
        <EventMenu names={names} isMany onChange={(event) => setSearch({ event })} />
      </div>
      <Entries timeline={timeline} recorded={useRecordedSessions(personId)} />
      {openId && <EventDialog uuid={openId} list={timeline.items ?? []} onFilter={onFilter} />}
    </div>
  )
}

const Entries = ({
  timeline: { items: entries, error, hasMore, isLoading, more },
  recorded,
}: {
  readonly timeline: Pages<Entry>
  readonly recorded: ReadonlySet<string>
}) => (
  <>
    {!entries && !error && <Skeleton lines={12} />}
    {entries?.length === 0 && !isLoading && (
      <Empty title="No such events">
        <p>Choose other events above.</p>
      </Empty>
    )}
    {entries && entries.length > 0 && <Rows entries={entries} recorded={recorded} />}
    {error && <Failed error={error} onRetry={more} />}
    {entries && entries.length > 0 && (
      <End count={entries.length} hasMore={hasMore} isLoading={isLoading} hasFailed={error !== undefined} more={more} />
    )}
  </>
)

const Rows = ({
  entries,
  recorded,
}: {
  readonly entries: readonly Entry[]
  readonly recorded: ReadonlySet<string>
}) => {
  const list = useRef<HTMLOListElement>(null)
  const items = useMemo(() => itemsOf(entries), [entries])
  const heights = useMemo(() => items.map(({ kind }) => HEIGHTS[kind]), [items])
  const { from, to, before, after } = useVirtualRows(list, heights)
  return (
    <ol
      ref={list}
      class={styles.timeline}
      aria-label="Events"
      style={{ paddingTop: `${before}px`, paddingBottom: `${after}px` }}
    >
      {items.slice(from, to).map((item, index) => (
        <TimelineRow
          key={item.key}
          item={item}
          isRecorded={item.kind === 'session' && item.session !== null && recorded.has(item.session)}
          position={from + index + 1}
          size={items.length}
          onOpen={openEvent}
        />
      ))}
    </ol>
  )
}

const End = ({
  count,
  hasMore,
  isLoading,
  hasFailed,
  more,
}: {
  readonly count: number
  readonly hasMore: boolean
  readonly isLoading: boolean
  readonly hasFailed: boolean
  readonly more: () => void
}) => {
  const end = useRef<HTMLDivElement>(null)
  const canLoad = hasMore && !isLoading && !hasFailed
  useEffect(() => {
    if (!canLoad) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more(), { rootMargin: '800px' })
    observer.observe(end.current!)
    return () => observer.disconnect()
  }, [canLoad, count])
  return (
    <div ref={end} class="row">
      {hasMore && (
        <button type="button" class="button" disabled={isLoading} onClick={more}>
          {isLoading ? 'Loading …' : 'Load more'}
        </button>
      )}
      <span class="muted small">
        {formatWhole(count)} {count === 1 ? 'event' : 'events'}
        {hasMore ? ' so far' : ''}
      </span>
    </div>
  )
}
