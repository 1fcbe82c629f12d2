import { formatDateTime, formatTime, formatWhole, formatDuration } from '../../lib/format.ts'
import { useLink, useProject } from '../../project.ts'
import styles from './people.module.css'
import type { EntryItem, Item, SessionItem } from './timelineItems.ts'
import { pathPart } from '../../lib/pathPart.ts'

/** A line of the timeline. Lines outside the window are not drawn, so it names its position. */
export const TimelineRow = ({
  item,
  isRecorded,
  position,
  size,
  onOpen,
}: {
  readonly item: Item
  /** Whether the session has a recording. */
  readonly isRecorded: boolean
  readonly position: number
  readonly size: number
  readonly onOpen: (uuid: string) => void
}) => (
  <li class={item.kind === 'session' ? styles.session : styles.entry} aria-posinset={position} aria-setsize={size}>
    {item.kind === 'session' ? (
      <Session item={item} isRecorded={isRecorded} />
    ) : (
      <EventLine item={item} onOpen={onOpen} />
    )}
  </li>
)

const Session = ({
  item: { session, from, until, count, isWhole },
  isRecorded,
}: {
  readonly item: SessionItem
  readonly isRecorded: boolean
}) => {
  const { timezone } = useProject()
  const link = useLink()
  const seconds = (Date.parse(until) - Date.parse(from)) / 1000
  return (
    <>
      <strong class="clip">{session === null ? 'Without a session' : formatDateTime(from, timezone)}</strong>
      <span class="muted clip">
        {formatWhole(count)} {count === 1 ? 'event' : 'events'}
        {session !== null && count > 1 && ` in ${formatDuration(seconds)}`}
        {session !== null && !isWhole && ', began earlier'}
      </span>
      {session !== null && isRecorded && (
        <a
          href={link(`recordings/${pathPart(session)}`)}
          aria-label={`Watch the session of ${formatDateTime(from, timezone)}`}
        >
          Watch
        </a>
      )}
    </>
  )
}

const EventLine = ({
  item: { entry },
  onOpen,
}: {
  readonly item: EntryItem
  readonly onOpen: (uuid: string) => void
}) => {
  const { timezone } = useProject()
  return (
    <>
      <time class="muted number" dateTime={entry.timestamp} title={formatDateTime(entry.timestamp, timezone)}>
        {formatTime(entry.timestamp, timezone)}
      </time>
      <button type="button" class="row-button" onClick={() => onOpen(entry.uuid)}>
        <bdi class="clip">{entry.event || '(no name)'}</bdi>
      </button>
      <bdi class="muted clip">{entry.place}</bdi>
    </>
  )
}
