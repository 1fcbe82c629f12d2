import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { formatWhole } from '../../lib/format.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import { useSearchText } from '../../lib/useSearchText.ts'
import { useLink } from '../../project.ts'
import { search, setSearch } from '../../router.ts'
import { EventMenu } from '../../ui/eventMenu.tsx'
import { Segments } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/pageHead.tsx'
import { Empty, Failed, Skeleton } from '../../ui/states.tsx'
import { Announcer } from './announcer.tsx'
import { ArrivalRow } from './arrivalRow.tsx'
import { keyOf, MAX_ROWS } from './feed.ts'
import styles from './live.module.css'
import { type Kind, KINDS, type LiveFeed, useLiveFeed } from './useLiveFeed.ts'
import { Rows } from '../../ui/rows.tsx'

/** Rows that are drawn while new ones come in. All are drawn once a person scrolls, which holds new ones back. */
const DRAWN_AT_TOP = 80

const KIND_LABELS: Readonly<Record<Kind, string>> = { all: 'All', accepted: 'Accepted', rejected: 'Rejected' }

/** Events as they arrive, accepted and rejected. The filters are in the URL. */
export const LivePage = () => {
  const event = search.value.get('event') ?? undefined
  const distinctId = search.value.get('distinct_id') ?? undefined
  const kind = KINDS.find((each) => each === search.value.get('kind')) ?? 'all'
  const [isPaused, setPaused] = useState(false)
  const [openKey, setOpenKey] = useState<string>()
  const top = useRef<HTMLDivElement>(null)
  const isAtTop = useIsInView(top)
  const live = useLiveFeed({ event, distinctId, kind }, isPaused || !isAtTop || openKey !== undefined)
  useShortcuts(useMemo(() => [{ key: 'p', about: 'Pause or resume', run: () => setPaused((is) => !is) }], []))
  const showNew = () => {
    setOpenKey(undefined)
    setPaused(false)
    scrollTo({ top: 0 })
  }
  const { rows, heldCount, total } = live.feed
  return (
    <div class="stack">
      <PageHead title="Live" about={<Status live={live} isPaused={isPaused} />}>
        <button type="button" class="button" aria-pressed={isPaused} onClick={() => setPaused(!isPaused)}>
          <Icon name={isPaused ? 'play' : 'pause'} size={16} /> {isPaused ? 'Resume' : 'Pause'}
        </button>
      </PageHead>
      <Controls event={event} kind={kind} />
      {live.error && <Failed error={live.error} />}
      <div ref={top} class={styles.top} />
      {heldCount > 0 && (
        <div class={styles.new}>
          <button type="button" class="button primary" onClick={showNew}>
            {formatWhole(heldCount)} new
          </button>
        </div>
      )}
      {!live.hasLoaded && !live.error && <Skeleton lines={12} />}
      {live.hasLoaded && rows.length === 0 && heldCount === 0 && (
        <Nothing isFiltered={Boolean(event ?? distinctId) || kind !== 'all'} />
      )}
      <div class={styles.rows} role="log" aria-live="off" aria-label="Events as they arrive">
        <ol>
          <Rows of={isAtTop ? rows.slice(0, DRAWN_AT_TOP) : rows} keyOf={keyOf}>
            {(arrival) => {
              const key = keyOf(arrival)
              return <ArrivalRow id={key} arrival={arrival} isOpen={key === openKey} onToggle={setOpenKey} />
            }}
          </Rows>
        </ol>
      </div>
      {rows.length === MAX_ROWS && <Older hasSkipped={live.hasSkipped} />}
      <Announcer total={total} />
    </div>
  )
}

const useIsInView = (element: { readonly current: Element | null }): boolean => {
  const [isInView, setInView] = useState(true)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => setInView(entry?.isIntersecting ?? true))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [])
  return isInView
}

const Controls = ({ event, kind }: { readonly event: string | undefined; readonly kind: Kind }) => {
  const [distinctId, setDistinctId] = useSearchText('distinct_id')
  return (
    <div class="row" role="group" aria-label="Filters">
      <EventMenu names={event ? [event] : []} onChange={([name]) => setSearch({ event: name })} />
      <input
        class={`input ${styles.id}`}
        type="search"
        aria-label="Distinct ID"
        placeholder="Distinct ID"
        autocomplete="off"
        value={distinctId}
        onInput={(input) => setDistinctId(input.currentTarget.value)}
      />
      <Segments
        label="Kind"
        value={kind}
        options={KINDS.map((value) => ({ value, label: KIND_LABELS[value] }))}
        onChange={(value) => setSearch({ kind: value === 'all' ? undefined : value })}
      />
    </div>
  )
}

const Status = ({ live, isPaused }: { readonly live: LiveFeed; readonly isPaused: boolean }) => {
  const [isGood, text] = live.error
    ? [false, 'Not connected. Tries again every 15 seconds.']
    : isPaused
      ? [false, 'Paused. New events are counted and wait.']
      : live.isQuiet
        ? [true, 'Quiet. Looks for new events every 15 seconds.']
        : [true, 'Looks for new events every 2 seconds.']
  return (
    <>
      <span aria-hidden="true" class={isGood ? styles.on : styles.off} /> {text}
    </>
  )
}

const Nothing = ({ isFiltered }: { readonly isFiltered: boolean }) => {
  const link = useLink()
  return (
    <Empty title={isFiltered ? 'No matching events within seven days' : 'Waiting for the first event'}>
      <p>
        {isFiltered
          ? 'New events that match the filters appear here automatically.'
          : 'Open a page of your site with the SDK. Its events appear here within seconds.'}
      </p>
      {!isFiltered && (
        <a class="button" href={link('setup')}>
          Set up your site
        </a>
      )}
    </Empty>
  )
}

const Older = ({ hasSkipped }: { readonly hasSkipped: boolean }) => {
  const link = useLink()
  return (
    <p class="muted small">
      The newest {MAX_ROWS} are shown here. {hasSkipped && 'More arrived than could be shown. '}
      <a href={link('events')}>All are in Events</a>.
    </p>
  )
}
