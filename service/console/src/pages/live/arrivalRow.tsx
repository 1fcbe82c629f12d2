import { Component } from 'preact'
import type { ApiEvent, Arrival, RejectedEvent } from '../../api/events.ts'
import { delayOf, formatDelay } from '../../lib/delay.ts'
import { type Filter, formatFilter } from '../../lib/filters.ts'
import { formatDateTime, formatTime } from '../../lib/format.ts'
import { cutText, toText } from '../../lib/propertyText.ts'
import { maskJsonText } from '../../lib/sensitive.ts'
import { useLink, useProject } from '../../project.ts'
import { navigate } from '../../router.ts'
import { Code } from '../../ui/copy.tsx'
import { EventDetails } from '../../ui/eventDetails.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './live.module.css'

/** An event that was stored later than this was sent late. */
const LATE_SECONDS = 60
const MAX_TEXT = 200

interface RowProps {
  readonly id: string
  readonly arrival: Arrival
  readonly isOpen: boolean
  readonly onToggle: (id: string | undefined) => void
}

/** One arrival, with its details in place. It renders again only when it opens or closes, because there are many rows. */
export class ArrivalRow extends Component<RowProps> {
  override shouldComponentUpdate({ isOpen }: RowProps) {
    return isOpen !== this.props.isOpen
  }

  override render({ id, arrival, isOpen, onToggle }: RowProps) {
    const isRejected = arrival.type === 'rejected_event'
    return (
      <li class={isOpen ? `${styles.item} ${styles.isOpen}` : styles.item}>
        <div class={styles.row}>
          <Time at={arrival.created_at} />
          <button
            type="button"
            class="row-button"
            aria-expanded={isOpen}
            onClick={() => onToggle(isOpen ? undefined : id)}
          >
            <bdi class="clip">{cutText(arrival.event, MAX_TEXT) || '(no name)'}</bdi>
          </button>
          {isRejected ? <RejectedCells rejected={arrival} /> : <EventCells event={arrival} />}
          <Icon name={isOpen ? 'down' : 'right'} size={14} />
        </div>
        {isOpen && (
          <div class={styles.details}>
            {isRejected ? <RejectedDetails rejected={arrival} /> : <AcceptedDetails event={arrival} />}
          </div>
        )}
      </li>
    )
  }
}

const Time = ({ at }: { readonly at: string }) => {
  const { timezone } = useProject()
  return (
    <time dateTime={at} class={styles.time} title={formatDateTime(at, timezone)}>
      {formatTime(at, timezone)}
    </time>
  )
}

const placeOf = ({ properties }: ApiEvent): string =>
  cutText(toText(properties.$pathname ?? properties.$screen_name ?? properties.$current_url), MAX_TEXT)

const EventCells = ({ event }: { readonly event: ApiEvent }) => {
  const link = useLink()
  const delay = delayOf(event)
  return (
    <>
      <bdi class={`clip ${styles.what}`}>{placeOf(event)}</bdi>
      <a class={`clip ${styles.who}`} href={link(`people/${event.person_id}`)}>
        <bdi>{cutText(event.distinct_id, MAX_TEXT)}</bdi>
      </a>
      <span
        class={delay > LATE_SECONDS ? `${styles.delay} ${styles.late}` : styles.delay}
        title="Time from the event until it was stored"
      >
        +{formatDelay(delay)}
      </span>
    </>
  )
}

const RejectedCells = ({ rejected }: { readonly rejected: RejectedEvent }) => (
  <>
    <span class={`clip ${styles.what}`}>{rejected.reason}</span>
    <bdi class={`clip ${styles.who}`}>{cutText(rejected.distinct_id, MAX_TEXT)}</bdi>
    <span class="badge bad">Rejected</span>
  </>
)

const AcceptedDetails = ({ event }: { readonly event: ApiEvent }) => {
  const link = useLink()
  // Opens the events page, because this one shows only new events.
  const onFilter = (filter: Filter) => navigate(link('events', { f: formatFilter(filter) }))
  return <EventDetails event={event} onFilter={onFilter} />
}

const RejectedDetails = ({ rejected }: { readonly rejected: RejectedEvent }) => (
  <div class="stack">
    <div class="notice bad">
      <p>{rejected.reason}</p>
      <p>
        <strong>What to do:</strong> {rejected.remedy}
      </p>
      <p class="small muted">
        Code <span class="mono">{rejected.code}</span>
        {rejected.uuid && (
          <>
            , UUID <bdi class="mono">{cutText(rejected.uuid, MAX_TEXT)}</bdi>
          </>
        )}
      </p>
    </div>
    <Code text={maskJsonText(rejected.sample)} label="Beginning of the rejected event" wraps />
  </div>
)
