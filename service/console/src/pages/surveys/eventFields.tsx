import { Icon } from '../../ui/icon.tsx'
import { joinList, splitList } from '../../lib/listText.ts'
import { SelectInput, TextInput } from '../../ui/inputs.tsx'
import type { Conditions } from './surveyApi.ts'
import styles from './surveys.module.css'

export type SurveyEvent = NonNullable<Conditions['events']>['values'][number]
type Filter = NonNullable<SurveyEvent['propertyFilters']>[string]

const OPERATORS: readonly (readonly [Filter['operator'], string])[] = [
  ['exact', 'is'],
  ['is_not', 'is not'],
  ['icontains', 'contains'],
  ['not_icontains', 'does not contain'],
  ['regex', 'matches the regular expression'],
  ['not_regex', 'does not match the regular expression'],
  ['gt', 'is greater than'],
  ['lt', 'is less than'],
]

/** A list of events, each with conditions on its properties. `path` is the path of the list in the survey. */
export const EventFields = ({
  title,
  path,
  events,
  errorOf,
  onChange,
}: {
  readonly title: string
  readonly path: string
  readonly events: readonly SurveyEvent[]
  readonly errorOf: (path: string) => string | undefined
  readonly onChange: (events: SurveyEvent[]) => void
}) => (
  <fieldset class={styles.events}>
    <legend class="field-label">{title}</legend>
    {events.map((event, index) => (
      <div key={index} class={styles.event}>
        <div class={styles.removable}>
          <TextInput
            label="Event"
            error={errorOf(`${path}.${index}.name`)}
            value={event.name}
            onChange={(name) => onChange(events.with(index, { ...event, name }))}
          />
          <RemoveButton label="Remove the event" onClick={() => onChange(events.toSpliced(index, 1))} />
        </div>
        <Filters
          filters={Object.entries(event.propertyFilters ?? {})}
          errorOf={(name) => errorOf(`${path}.${index}.propertyFilters.${name}`)}
          onChange={(filters) =>
            onChange(events.with(index, { ...event, propertyFilters: Object.fromEntries(filters) }))
          }
        />
      </div>
    ))}
    <div class="row">
      <button type="button" class="button" onClick={() => onChange([...events, { name: '' }])}>
        <Icon name="plus" size={16} /> Add an event
      </button>
    </div>
  </fieldset>
)

type NamedFilter = readonly [property: string, filter: Filter]

const Filters = ({
  filters,
  errorOf,
  onChange,
}: {
  readonly filters: readonly NamedFilter[]
  readonly errorOf: (property: string) => string | undefined
  readonly onChange: (filters: readonly NamedFilter[]) => void
}) => (
  <>
    {filters.map(([property, filter], index) => {
      const change = (next: NamedFilter) => onChange(filters.with(index, next))
      return (
        <div key={index} class={styles.removable}>
          <div class={styles.branches}>
            <TextInput label="Property" value={property} onChange={(name) => change([name, filter])} />
            <SelectInput
              label="Comparison"
              value={filter.operator}
              options={OPERATORS}
              onChange={(operator) => change([property, { ...filter, operator }])}
            />
            <TextInput
              label="Values"
              hint="Separated by commas. One must match."
              error={errorOf(property)}
              value={joinList(filter.values)}
              onChange={(text) => change([property, { ...filter, values: splitList(text) }])}
            />
          </div>
          <RemoveButton label="Remove the property" onClick={() => onChange(filters.toSpliced(index, 1))} />
        </div>
      )
    })}
    {!filters.some(([property]) => property === '') && (
      <div class="row">
        <button
          type="button"
          class="button"
          onClick={() => onChange([...filters, ['', { operator: 'exact', values: [''] }]])}
        >
          <Icon name="plus" size={16} /> Only with a property
        </button>
      </div>
    )}
  </>
)

/** A button that removes its row. */
export const RemoveButton = ({ label, onClick }: { readonly label: string; readonly onClick: () => void }) => (
  <button type="button" class="button" aria-label={label} title={label} onClick={onClick}>
    <Icon name="trash" size={16} />
  </button>
)
