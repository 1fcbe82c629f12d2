import { Field } from '../field.tsx'
import { TextInput } from '../inputs.tsx'
import { Icon } from '../icon.tsx'
import { PropertyInput, ValueInput } from '../propertyInput.tsx'
import { NEW_PROPERTY, type PropertyDraft } from './conditionDraft.ts'
import styles from './flagConditions.module.css'
import { FLAG_OPERATOR, OPERATORS, takesOf } from './operators.ts'

const TYPES = [
  { value: 'person', label: 'Person' },
  { value: 'group', label: 'Group' },
  { value: 'flag', label: 'Other flag' },
] as const

/** A row of a condition: a property, an operator and values; or another flag and its value. */
export const ConditionProperty = ({
  property,
  error,
  flagKeys,
  onChange,
  onRemove,
}: {
  readonly property: PropertyDraft
  readonly error: string | undefined
  /** Keys of the other flags. */
  readonly flagKeys: readonly string[]
  readonly onChange: (property: PropertyDraft) => void
  readonly onRemove: () => void
}) => {
  const change = (changes: Partial<PropertyDraft>) => onChange({ ...property, ...changes })
  const changeType = (type: PropertyDraft['type']) =>
    onChange(
      type === 'flag'
        ? { type, key: flagKeys[0] ?? '', operator: FLAG_OPERATOR, values: ['true'] }
        : { ...NEW_PROPERTY, type },
    )
  return (
    <div>
      <div class={styles.property}>
        <Field label="Of">
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              value={property.type}
              onChange={(event) => changeType(event.currentTarget.value as PropertyDraft['type'])}
            >
              {TYPES.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </Field>
        {property.type === 'flag' ? (
          <FlagCondition property={property} flagKeys={flagKeys} onChange={change} />
        ) : (
          <ValueCondition property={property} onChange={change} />
        )}
        <button
          type="button"
          class={`button plain icon ${styles.remove}`}
          aria-label={`Remove the property ${property.key}`}
          onClick={onRemove}
        >
          <Icon name="trash" size={16} />
        </button>
      </div>
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

interface PartProps {
  readonly property: PropertyDraft
  readonly onChange: (changes: Partial<PropertyDraft>) => void
}

const ValueCondition = ({ property, onChange }: PartProps) => {
  const takes = takesOf(property.operator)
  return (
    <>
      {property.type === 'person' ? (
        <PropertyInput label="Property" type="person" value={property.key} onChange={(key) => onChange({ key })} />
      ) : (
        <TextInput isCode isRequired label="Property" value={property.key} onChange={(key) => onChange({ key })} />
      )}
      <Field label="Condition">
        {(attributes) => (
          <select
            {...attributes}
            class="input"
            value={property.operator}
            onChange={(event) => onChange({ operator: event.currentTarget.value })}
          >
            {Object.entries(OPERATORS).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {takes === 'nothing' ? (
        <span />
      ) : (
        <ValueInput
          label="Value"
          type="person"
          property={property.type === 'person' ? property.key : ''}
          values={property.values}
          isMany={takes === 'values'}
          onChange={(values) => onChange({ values })}
        />
      )}
    </>
  )
}

const FlagCondition = ({ property, flagKeys, onChange }: PartProps & { readonly flagKeys: readonly string[] }) => (
  <>
    <Field label="Flag">
      {(attributes) => (
        <select
          {...attributes}
          class="input"
          required
          value={property.key}
          onChange={(event) => onChange({ key: event.currentTarget.value })}
        >
          {[...new Set([property.key, ...flagKeys])].map((key) => (
            <option key={key} value={key}>
              {key}
            </option>
          ))}
        </select>
      )}
    </Field>
    <span class={styles.remove}>is</span>
    <TextInput
      isCode
      isRequired
      label="Value"
      hint="true, false or the key of a variant"
      value={property.values[0] ?? ''}
      onChange={(value) => onChange({ values: [value] })}
    />
  </>
)
