import { api, dataOf } from '../api/client.ts'
import { propertyName } from '../lib/propertyNames.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useProject } from '../project.ts'

/** Properties of sessions that are worth a breakdown. Sessions are computed, so the API does not list them. */
const SESSION_PROPERTIES = [
  '$channel_type',
  '$entry_pathname',
  '$exit_pathname',
  '$entry_referring_domain',
  '$entry_utm_source',
  '$entry_utm_medium',
  '$entry_utm_campaign',
]

/** Returns the names of a project's properties, most frequent first. */
export const usePropertyNames = (type: 'event' | 'person', isNumber = false): readonly string[] => {
  const { id } = useProject()
  const { data } = useLoad(`properties ${id} ${type} `, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/property_definitions', {
        params: { path: { projectId: String(id) }, query: { type } },
        signal,
      }),
    ),
  )
  return data?.results.filter((each) => !isNumber || each.type === 'number').map(({ name }) => name) ?? []
}

const Group = ({ label, prefix, names }: Readonly<{ label: string; prefix: string; names: readonly string[] }>) =>
  names.length > 0 && (
    <optgroup label={label}>
      {names.map((name) => (
        <option key={name} value={prefix + name}>
          {propertyName(name)}
        </option>
      ))}
    </optgroup>
  )

/**
 * A select for properties. The value is the name, with `person.` or `session.` before those of persons and sessions.
 * `''`: no property.
 */
export const PropertySelect = ({
  label,
  none,
  value,
  isNumber = false,
  onChange,
}: {
  readonly label: string
  /** Text of no property. */
  readonly none: string
  readonly value: string
  /** Offers numbers of events only. */
  readonly isNumber?: boolean
  readonly onChange: (property: string) => void
}) => {
  const events = usePropertyNames('event', isNumber)
  const persons = usePropertyNames('person', isNumber).map((name) => `person.${name}`)
  const sessions = isNumber ? [] : SESSION_PROPERTIES.map((name) => `session.${name}`)
  const isListed = value === '' || [events, persons, sessions].some((names) => names.includes(value))
  const withoutPrefix = (names: readonly string[]) => names.map((name) => name.slice(name.indexOf('.') + 1))
  return (
    <select class="input" aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{none}</option>
      {!isListed && <option value={value}>{value}</option>}
      <Group label="Events" prefix="" names={events} />
      <Group label="Persons" prefix="person." names={withoutPrefix(persons)} />
      <Group label="Sessions" prefix="session." names={withoutPrefix(sessions)} />
    </select>
  )
}
