import { formatDateTime } from '../../lib/format.ts'
import { usePages } from '../../lib/usePages.ts'
import { useLink, useProject } from '../../project.ts'
import { PagedList } from '../../ui/pagedList.tsx'
import { Empty } from '../../ui/states.tsx'
import styles from './errors.module.css'
import { type IssueEvent, listIssueEvents } from './issueApi.ts'
import { Stack } from './stack.tsx'
import { Steps } from './steps.tsx'

/** The events of an issue, newest first. The first is open. */
export const IssueEvents = ({ issueId }: { readonly issueId: string }) => {
  const { id } = useProject()
  const events = usePages<IssueEvent>(`issue events ${id} ${issueId}`, (cursor, signal) =>
    listIssueEvents(id, issueId, cursor, signal),
  )
  return (
    <PagedList pages={events} noun={['event', 'events']} empty={<Empty title="No events" />}>
      {(items) =>
        items.map((event, at) => (
          <details key={event.uuid} class={styles.event} open={at === 0}>
            <EventLine event={event} />
            <EventBody event={event} />
          </details>
        ))
      }
    </PagedList>
  )
}

const EventLine = ({ event }: { readonly event: IssueEvent }) => {
  const { timezone } = useProject()
  return (
    <summary>
      <time dateTime={event.timestamp}>{formatDateTime(event.timestamp, timezone)}</time>
      {event.release && (
        <span class="badge">
          <bdi>{event.release}</bdi>
        </span>
      )}
      {event.browser && <span class="small muted">{event.browser}</span>}
      <span class="clip small muted">
        <bdi>{event.url}</bdi>
      </span>
    </summary>
  )
}

const EventBody = ({ event }: { readonly event: IssueEvent }) => {
  const link = useLink()
  return (
    <div class="stack">
      <div class="row small">
        <a href={link(`people/${event.person_id}`)}>
          Person <bdi>{event.distinct_id}</bdi>
        </a>
        {event.session_id && <a href={link(`recordings/${event.session_id}`)}>Recording of the session</a>}
      </div>
      {event.exceptions.map((exception, at) => (
        <section key={at} class="stack">
          <h2 class={styles.type}>
            {at > 0 && <span class="muted">Caused by </span>}
            <bdi>{exception.type}</bdi>
            {!exception.is_handled && at === 0 && <span class="badge">Unhandled</span>}
          </h2>
          <p class={styles.message}>
            <bdi>{exception.value}</bdi>
          </p>
          <Stack frames={exception.frames} />
        </section>
      ))}
      <Steps steps={event.steps} />
    </div>
  )
}
