import { useId } from 'preact/hooks'
import { api, dataOf } from '../api/client.ts'
import type { PropertyType } from '../lib/filters.ts'
import { propertyName } from '../lib/propertyNames.ts'
import { useLoad } from '../lib/useLoad.ts'
import { useSettled } from '../lib/useSettled.ts'
import { useProject } from '../project.ts'
import { Field } from './field.tsx'

/** A property of events or persons, with suggestions by frequency. Any name can be typed. */
export const PropertyInput = ({
  label,
  type,
  value,
  event,
  onChange,
}: {
  readonly label: string
  readonly type: PropertyType
  readonly value: string
  /** Suggests properties of this event only. */
  readonly event?: string | undefined
  readonly onChange: (key: string) => void
}) => {
  const { id } = useProject()
  const list = useId()
  // Sessions are computed from events; their properties are in the documentation.
  const stored = type === 'session' ? undefined : type
  const known = useLoad(stored && `properties ${id} ${stored} ${event ?? ''}`, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/property_definitions', {
        params: { path: { projectId: String(id) }, query: { type: stored, ...(event ? { event } : {}) } },
        signal,
      }),
    ),
  )
  return (
    <Field label={label} hint={propertyName(value) === value ? undefined : propertyName(value)}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            class="input mono"
            list={list}
            required
            autocomplete="off"
            value={value}
            onInput={(input) => onChange(input.currentTarget.value)}
          />
          <datalist id={list}>
            {known.data?.results.map(({ name }) => (
              <option key={name} value={name}>
                {propertyName(name)}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  )
}

/** Values of a property, with suggestions. With `isMany` several are alternatives, separated by new lines. */
export const ValueInput = ({
  label,
  type,
  property,
  values,
  isMany,
  onChange,
}: {
  readonly label: string
  readonly type: PropertyType
  readonly property: string
  readonly values: readonly string[]
  readonly isMany: boolean
  readonly onChange: (values: readonly string[]) => void
}) => {
  const { id } = useProject()
  const list = useId()
  const typed = useSettled(values.at(-1) ?? '')
  const name = useSettled(property)
  const stored = type === 'session' ? undefined : type
  const known = useLoad(stored && name ? `values ${id} ${stored} ${name} ${typed}` : undefined, ({ signal }) =>
    dataOf(
      api.GET('/api/projects/{projectId}/property_values', {
        params: {
          path: { projectId: String(id) },
          query: { type: stored, key: name, ...(typed ? { search: typed } : {}) },
        },
        signal,
      }),
    ),
  )
  return (
    <Field label={label} hint={isMany ? 'Add more values to match any of them.' : undefined}>
      {(attributes) => (
        <div class="stack" style={{ gap: '0.4rem' }}>
          {(isMany ? values : values.slice(0, 1)).map((value, index) => (
            <input
              key={index}
              {...(index === 0 ? attributes : { 'aria-label': `${label} ${index + 1}` })}
              class="input"
              list={list}
              autocomplete="off"
              value={value}
              onInput={(event) => onChange(values.map((each, at) => (at === index ? event.currentTarget.value : each)))}
            />
          ))}
          {isMany && (
            <button type="button" class="button plain" onClick={() => onChange([...values, ''])}>
              Add a value
            </button>
          )}
          <datalist id={list}>
            {known.data?.results.map(({ value }) => (
              <option key={value} value={value} />
            ))}
          </datalist>
        </div>
      )}
    </Field>
  )
}
