import { api, dataOf } from '../api/client.ts'
import { eventName } from '../lib/eventNames.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useProject } from '../project.ts'

/** Value of "All events". */
export const ALL_EVENTS = ''

/** The events of the current project, most frequent first. */
export const useEventNames = (): readonly string[] => {
  const { id } = useProject()
  const { data } = useLoad(`events ${id}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/event_definitions', { params: { path: { projectId: String(id) } }, signal }),
    ),
  )
  return data?.results.map(({ name }) => name) ?? []
}

/** A select for event names, most frequent first. `''` means all events. */
export const EventSelect = ({
  label,
  value,
  hasAll = true,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly hasAll?: boolean
  readonly onChange: (event: string) => void
}) => {
  const names = useEventNames()
  // A name of the URL may be rare or misspelled. It is shown, so that it can be corrected.
  const isListed = value === ALL_EVENTS || names.includes(value)
  return (
    <select class="input" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      {!isListed && <option value={value}>{eventName(value)}</option>}
      {names.map((name) => (
        <option key={name} value={name}>
          {eventName(name)}
        </option>
      ))}
      {hasAll && <option value={ALL_EVENTS}>All events</option>}
    </select>
  )
}
