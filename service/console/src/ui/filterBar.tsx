import { useState } from 'preact/hooks'
import {
  type Filter,
  formatFilter,
  OPERATORS,
  type OperatorName,
  PROPERTY_TYPES,
  type PropertyType,
} from '../lib/filters.ts'
import { propertyName } from '../lib/propertyNames.ts'
import { setSearch } from '../router.ts'
import { Dialog } from './dialog.tsx'
import { Field } from './field.tsx'
import { Icon } from './icon.tsx'
import { PropertyInput, ValueInput } from './propertyInput.tsx'

/** Keeps filters in the URL, as the query parameter `f`. */
export const showFilters = (filters: readonly Filter[]): void => setSearch({ f: filters.map(formatFilter) })

const textOf = ({ operator, key, values }: Filter): string =>
  [propertyName(key), OPERATORS[operator].label, values.map((value) => value || '(empty)').join(' or ')].join(' ')

/** The filters of a page, with buttons to add, change and remove them. */
export const FilterBar = ({
  filters,
  onChange = showFilters,
  types = PROPERTY_TYPES,
}: {
  readonly filters: readonly Filter[]
  readonly onChange?: (filters: readonly Filter[]) => void
  readonly types?: readonly PropertyType[]
}) => {
  const [edited, setEdited] = useState<number>()
  const save = (filter: Filter) => {
    onChange(
      edited === filters.length ? [...filters, filter] : filters.map((each, at) => (at === edited ? filter : each)),
    )
    setEdited(undefined)
  }
  return (
    <div class="row" role="group" aria-label="Filters">
      {filters.map((filter, index) => (
        <span key={formatFilter(filter)} class="row" style={{ gap: 0 }}>
          <button type="button" class="button" onClick={() => setEdited(index)}>
            {textOf(filter)}
          </button>
          <button
            type="button"
            class="button plain icon"
            aria-label={`Remove the filter ${textOf(filter)}`}
            onClick={() => onChange(filters.filter((_, at) => at !== index))}
          >
            <Icon name="close" size={14} />
          </button>
        </span>
      ))}
      <button type="button" class="button plain" onClick={() => setEdited(filters.length)}>
        <Icon name="filter" size={16} /> Add filter
      </button>
      {filters.length > 1 && (
        <button type="button" class="button plain" onClick={() => onChange([])}>
          Clear all
        </button>
      )}
      {edited !== undefined && (
        <FilterDialog filter={filters[edited]} types={types} onSave={save} onClose={() => setEdited(undefined)} />
      )}
    </div>
  )
}

const FilterDialog = ({
  filter,
  types,
  onSave,
  onClose,
}: {
  readonly filter: Filter | undefined
  readonly types: readonly PropertyType[]
  readonly onSave: (filter: Filter) => void
  readonly onClose: () => void
}) => {
  const [draft, setDraft] = useState<Filter>(filter ?? { operator: 'is', type: types[0]!, key: '', values: [''] })
  const change = (changes: Partial<Filter>) => setDraft({ ...draft, ...changes })
  const { takes } = OPERATORS[draft.operator]
  const submit = (event: Event) => {
    event.preventDefault()
    const values = takes === 'nothing' ? [] : takes === 'values' ? draft.values : draft.values.slice(0, 1)
    onSave({ ...draft, values })
  }
  return (
    <Dialog title={filter ? 'Change the filter' : 'Add a filter'} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        {types.length > 1 && (
          <Field label="Property of">
            {(attributes) => (
              <select
                {...attributes}
                class="input"
                value={draft.type}
                onChange={(event) => change({ type: event.currentTarget.value as PropertyType })}
              >
                {types.map((type) => (
                  <option key={type} value={type}>
                    {type[0]!.toUpperCase() + type.slice(1)}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <PropertyInput label="Property" type={draft.type} value={draft.key} onChange={(key) => change({ key })} />
        <Field label="Condition">
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              value={draft.operator}
              onChange={(event) => change({ operator: event.currentTarget.value as OperatorName })}
            >
              {Object.entries(OPERATORS).map(([name, { label }]) => (
                <option key={name} value={name}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {takes !== 'nothing' && (
          <ValueInput
            label="Value"
            type={draft.type}
            property={draft.key}
            values={draft.values}
            isMany={takes === 'values'}
            onChange={(values) => change({ values })}
          />
        )}
        <div class="row">
          <button type="submit" class="button primary">
            Apply
          </button>
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
