import { useEffect, useMemo, useRef } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { Filter } from '../../lib/filters.ts'
import { type Pages, usePages } from '../../lib/usePages.ts'
import { useVirtualRows } from '../../lib/useVirtualRows.ts'
import { useProject } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { EventDialog, openEvent } from '../../ui/eventDialog.tsx'
import { EventMenu } from '../../ui/eventMenu.tsx'
import { ListEnd } from '../../ui/pagedList.tsx'
import { Empty, Failed, Skeleton } from '../../ui/states.tsx'
import styles from './people.module.css'
import { type Entry, type Item, itemsOf, toEntry } from './timelineItems.ts'
import { TimelineRow } from './timelineRow.tsx'
import { useRecordedSessions } from './useRecordedSessions.ts'
import { Rows } from '../../ui/rows.tsx'

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
    const page = await dataOf(api.GET('/api/projects/{projectId}/persons/{id}/events', { params, signal }))
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
  timeline,
  recorded,
}: {
  readonly timeline: Pages<Entry>
  readonly recorded: ReadonlySet<string>
}) => {
  const { items: entries, error, isLoading, more } = timeline
  return (
    <>
      {!entries && !error && <Skeleton lines={12} />}
      {entries?.length === 0 && !isLoading && (
        <Empty title="No events match">
          <p>Choose other events above.</p>
        </Empty>
      )}
      {entries && entries.length > 0 && <Lines entries={entries} recorded={recorded} />}
      {error && <Failed error={error} onRetry={more} />}
      {entries && entries.length > 0 && <End timeline={timeline} count={entries.length} />}
    </>
  )
}

const Lines = ({
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
      <Rows of={items.slice(from, to)} keyOf={({ key }) => key}>
        {(item, index) => (
          <TimelineRow
            item={item}
            isRecorded={item.kind === 'session' && item.session !== null && recorded.has(item.session)}
            position={from + index + 1}
            size={items.length}
            onOpen={openEvent}
          />
        )}
      </Rows>
    </ol>
  )
}

/** The end of the list, which loads the next page shortly before it is seen. */
const End = ({ timeline, count }: { readonly timeline: Pages<Entry>; readonly count: number }) => {
  const end = useRef<HTMLDivElement>(null)
  const { hasMore, isLoading, error, more } = timeline
  const canLoad = hasMore && !isLoading && !error
  useEffect(() => {
    if (!canLoad) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && more(), { rootMargin: '800px' })
    observer.observe(end.current!)
    return () => observer.disconnect()
  }, [canLoad, count])
  return (
    <div ref={end}>
      <ListEnd pages={timeline} count={count} noun={['event', 'events']} />
    </div>
  )
}
