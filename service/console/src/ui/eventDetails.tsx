import type { ApiEvent } from '../api/events.ts'
import { api, dataOf } from '../api/client.ts'
import type { Filter } from '../lib/filters.ts'
import { formatDateTime } from '../lib/format.ts'
import { delayOf, formatDelay } from '../lib/delay.ts'
import { cutText } from '../lib/propertyText.ts'
import { maskSensitive } from '../lib/sensitive.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useLink, useProject } from '../project.ts'
import { Code, CopyButton } from './copy.tsx'
import styles from './eventDetails.module.css'
import { PropertyList } from './propertyList.tsx'
import { RecordingLink } from './recordingLink.tsx'
import { Failed } from './states.tsx'

const MAX_JSON = 100_000

const toJson = (event: ApiEvent): string => {
  const text = JSON.stringify(maskSensitive(event), null, 2)
  const shown = cutText(text, MAX_JSON)
  return shown.length < text.length ? `${shown}\n…` : shown
}

/** One event: when, who, its properties and its JSON. Properties that a list has truncated are loaded in full. */
export const EventDetails = ({
  event: inList,
  onFilter,
}: {
  readonly event: ApiEvent
  readonly onFilter?: ((filter: Filter) => void) | undefined
}) => {
  const { id, timezone } = useProject()
  const whole = useLoad(inList.is_truncated ? `event ${id} ${inList.uuid}` : undefined, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/events/{id}', {
        params: { path: { projectId: String(id), id: inList.uuid } },
        signal,
      }),
    ),
  )
  const event = whole.data ?? inList
  return (
    <div class={styles.details}>
      <Facts event={event} timezone={timezone} />
      {whole.error && <Failed error={whole.error} onRetry={() => whole.reload()} />}
      {whole.isLoading && <p class="muted">Loading all properties …</p>}
      <PropertyList type="event" properties={event.properties} onFilter={onFilter} />
      <details>
        <summary>JSON</summary>
        <Code text={toJson(event)} label={`JSON of ${event.event}`} wraps />
      </details>
    </div>
  )
}

const Facts = ({ event, timezone }: { readonly event: ApiEvent; readonly timezone: string }) => {
  const link = useLink()
  return (
    <dl class={styles.facts}>
      <dt>Time</dt>
      <dd>
        {formatDateTime(event.timestamp, timezone)} <span class="muted">({timezone})</span>
      </dd>
      <dt>Stored</dt>
      <dd>
        {formatDateTime(event.created_at, timezone)} <span class="muted">{formatDelay(delayOf(event))} later</span>
      </dd>
      <dt>Person</dt>
      <dd>
        <a href={link(`people/${event.person_id}`)}>
          <bdi>{cutText(event.distinct_id, 200)}</bdi>
        </a>
      </dd>
      <dt>UUID</dt>
      <dd class="row">
        <span class="mono">{event.uuid}</span>
        <CopyButton text={event.uuid} />
      </dd>
      {typeof event.properties.$session_id === 'string' && event.properties.$session_id && (
        <>
          <dt>Session</dt>
          <dd class="row">
            <span class="mono">{cutText(event.properties.$session_id, 40)}</span>
            <RecordingLink
              sessionId={event.properties.$session_id}
              timestamp={event.timestamp}
              isAsked={event.properties.$recording_status !== undefined}
            />
          </dd>
        </>
      )}
    </dl>
  )
}
