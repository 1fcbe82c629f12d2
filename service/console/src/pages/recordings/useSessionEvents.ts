import { useMemo } from 'preact/hooks'
import { api, dataOf } from '../../api/client.ts'
import type { ApiEvent } from '../../api/events.ts'
import type { RecordingDetails } from '../../api/recordings.ts'
import { cutText, toText } from '../../lib/propertyText.ts'
import { type Loaded, useLoad } from '../../lib/useLoad.ts'
import { useProject } from '../../project.ts'
import type { LogEntry } from './logEntries.ts'

const MAX_EVENTS = 1_000
const MAX_TEXT = 200
const MARGIN_MS = 60_000

const detailOf = ({ event, properties }: ApiEvent): string => {
  const [exception] = Array.isArray(properties.$exception_list) ? (properties.$exception_list as unknown[]) : []
  const message = (exception as { value?: unknown } | undefined)?.value
  const value = event === '$exception' ? message : (properties.$pathname ?? properties.$current_url)
  return cutText(toText(value), MAX_TEXT)
}

const toEntry = (event: ApiEvent): LogEntry => ({
  key: event.uuid,
  kind: 'event',
  at: Date.parse(event.timestamp),
  text: cutText(event.event, MAX_TEXT),
  detail: detailOf(event),
  isError: event.event === '$exception',
})

export interface SessionEvents {
  /** In order of time. */
  readonly entries: readonly LogEntry[]
  readonly loaded: Loaded<readonly ApiEvent[]>
}

/** Loads the events of a session, at most the last 1,000. */
export const useSessionEvents = ({ id, started_at, ended_at }: RecordingDetails): SessionEvents => {
  const { id: projectId } = useProject()
  const loaded = useLoad(`events of ${projectId} ${id}`, async ({ signal }): Promise<readonly ApiEvent[]> => {
    const time = (at: string, shift: number) => new Date(Date.parse(at) + shift).toISOString()
    const query = {
      limit: MAX_EVENTS,
      properties: JSON.stringify([{ key: '$session_id', operator: 'exact', value: [id], type: 'event' }]),
      after: time(started_at, -MARGIN_MS),
      before: time(ended_at, MARGIN_MS),
    }
    const params = { path: { projectId: String(projectId) }, query }
    return (await dataOf(api.GET('/api/projects/{projectId}/events', { params, signal }))).results
  })
  const entries = useMemo(() => [...(loaded.data ?? [])].reverse().map(toEntry), [loaded.data])
  return { entries, loaded }
}
