import type { Filter, PropertyType } from '../lib/filters.ts'
import { propertyName } from '../lib/propertyNames.ts'
import { isOfSdk } from '../lib/propertyText.ts'
import { isSensitive } from '../lib/sensitive.ts'
import { Icon } from './icon.tsx'
import styles from './propertyList.module.css'
import { PropertyValue } from './propertyValue.tsx'
import { Rows } from './rows.tsx'

type Property = readonly [name: string, value: unknown]

interface FilterProps {
  readonly type: PropertyType
  /** Filters by a value. Absent: there is nothing to filter. */
  readonly onFilter?: ((filter: Filter) => void) | undefined
}

/** Properties with their values: the site's first, the SDK's in a collapsed section. */
export const PropertyList = ({
  properties,
  ...filter
}: FilterProps & { readonly properties: Readonly<Record<string, unknown>> }) => {
  const all = Object.entries(properties).sort(([a], [b]) => (a < b ? -1 : 1))
  const own = all.filter(([name]) => !isOfSdk(name))
  const ofSdk = all.filter(([name]) => isOfSdk(name))
  return (
    <div class={styles.list}>
      {own.length > 0 && <Properties label="Properties" properties={own} {...filter} />}
      {all.length === 0 && <p class="muted">No properties.</p>}
      {ofSdk.length > 0 && (
        <details open={own.length === 0}>
          <summary>
            {ofSdk.length} {ofSdk.length === 1 ? 'property' : 'properties'} of the SDK
          </summary>
          <Properties label="Properties of the SDK" properties={ofSdk} {...filter} />
        </details>
      )}
    </div>
  )
}

const Properties = ({
  label,
  properties,
  type,
  onFilter,
}: FilterProps & { readonly label: string; readonly properties: readonly Property[] }) => (
  <table class={styles.properties} aria-label={label}>
    <tbody>
      <Rows of={properties} keyOf={([name]) => name} columns={3}>
        {([name, value]) => (
          <tr>
            <th scope="row" title={propertyName(name)}>
              <bdi>{name}</bdi>
            </th>
            <td>
              <PropertyValue name={name} value={value} />
            </td>
            {onFilter && (
              <td class={styles.actions}>
                {isFilterable(name, value) && (
                  <>
                    <FilterButton
                      label={`Only ${name} with this value`}
                      icon="filter"
                      onClick={() => onFilter(filterOf('is', type, name, value))}
                    />
                    <FilterButton
                      label={`Exclude ${name} with this value`}
                      icon="exclude"
                      onClick={() => onFilter(filterOf('not', type, name, value))}
                    />
                  </>
                )}
              </td>
            )}
          </tr>
        )}
      </Rows>
    </tbody>
  </table>
)

/** A filter is part of the URL, so it contains no secrets and no long strings. */
const MAX_FILTER_LENGTH = 200

const isFilterable = (name: string, value: unknown): boolean =>
  !isSensitive(name) &&
  (typeof value === 'number' ||
    typeof value === 'boolean' ||
    (typeof value === 'string' && value.length <= MAX_FILTER_LENGTH))

const filterOf = (operator: 'is' | 'not', type: PropertyType, key: string, value: unknown): Filter => ({
  operator,
  type,
  key,
  values: [String(value)],
})

const FilterButton = ({
  label,
  icon,
  onClick,
}: {
  readonly label: string
  readonly icon: 'filter' | 'exclude'
  readonly onClick: () => void
}) => (
  <button type="button" class={styles.action} aria-label={label} title={label} onClick={onClick}>
    <Icon name={icon} size={16} />
  </button>
)
