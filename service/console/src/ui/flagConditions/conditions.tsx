import { Field } from '../field.tsx'
import { Icon } from '../icon.tsx'
import { ConditionProperty } from './conditionProperty.tsx'
import { type ConditionDraft, NEW_PROPERTY, type PropertyDraft } from './conditionDraft.ts'
import styles from './flagConditions.module.css'
import { Share } from './share.tsx'

/** Returns the message about the field at a path, which begins with the index of the condition. */
type ErrorOf = (path: string, options?: { isWithin?: boolean }) => string | undefined

interface ConditionsProps {
  readonly conditions: readonly ConditionDraft[]
  /** Keys of the flag's variants. */
  readonly variants: readonly string[]
  readonly flagKeys: readonly string[]
  /** Shown if there are no conditions. */
  readonly none: string
  /** The condition that is added. */
  readonly added: ConditionDraft
  readonly errorOf: ErrorOf
  readonly onChange: (conditions: readonly ConditionDraft[]) => void
}

const swap = <Item,>(items: readonly Item[], a: number, b: number): readonly Item[] =>
  items.map((item, at) => (at === a ? items[b]! : at === b ? items[a]! : item))

/** Conditions of a flag, of which one must match. The first that matches decides. */
export const Conditions = ({ conditions, variants, flagKeys, none, added, errorOf, onChange }: ConditionsProps) => (
  <div class="stack" style={{ gap: '0.6rem' }}>
    {conditions.length === 0 && <p class="muted">{none}</p>}
    {conditions.map((condition, index) => (
      <>
        {index > 0 && <div class={styles.or}>or</div>}
        <Condition
          key={index}
          index={index}
          count={conditions.length}
          condition={condition}
          variants={variants}
          flagKeys={flagKeys}
          errorOf={errorOf}
          onChange={(changed) => onChange(conditions.map((each, at) => (at === index ? changed : each)))}
          onMove={(to) => onChange(swap(conditions, index, to))}
          onRemove={() => onChange(conditions.filter((_, at) => at !== index))}
        />
      </>
    ))}
    <div class="row">
      <button type="button" class="button" onClick={() => onChange([...conditions, added])}>
        <Icon name="plus" size={16} /> Add a condition
      </button>
    </div>
  </div>
)

const Condition = ({
  index,
  count,
  condition,
  variants,
  flagKeys,
  errorOf,
  onChange,
  onMove,
  onRemove,
}: {
  readonly index: number
  readonly count: number
  readonly condition: ConditionDraft
  readonly variants: readonly string[]
  readonly flagKeys: readonly string[]
  readonly errorOf: ErrorOf
  readonly onChange: (condition: ConditionDraft) => void
  readonly onMove: (to: number) => void
  readonly onRemove: () => void
}) => {
  const change = (changes: Partial<ConditionDraft>) => onChange({ ...condition, ...changes })
  const setProperty = (at: number, property: PropertyDraft) =>
    change({ properties: condition.properties.map((each, place) => (place === at ? property : each)) })
  const name = `Condition ${index + 1}`
  return (
    <fieldset class="box" aria-label={name}>
      <div class="row between">
        <h3>{name}</h3>
        <div class="row" style={{ gap: 0 }}>
          {count > 1 && (
            <>
              <MoveButton label={`Move ${name} up`} isDisabled={index === 0} onClick={() => onMove(index - 1)} isUp />
              <MoveButton
                label={`Move ${name} down`}
                isDisabled={index === count - 1}
                onClick={() => onMove(index + 1)}
              />
            </>
          )}
          <button type="button" class="button plain icon" aria-label={`Remove ${name}`} onClick={onRemove}>
            <Icon name="trash" size={16} />
          </button>
        </div>
      </div>
      {condition.properties.length === 0 && <p class="muted small">Matches everyone.</p>}
      {condition.properties.map((property, at) => (
        <ConditionProperty
          key={at}
          property={property}
          flagKeys={flagKeys}
          error={errorOf(`${index}.properties.${at}`, { isWithin: true })}
          onChange={(changed) => setProperty(at, changed)}
          onRemove={() => change({ properties: condition.properties.filter((_, place) => place !== at) })}
        />
      ))}
      <div class="row">
        <button
          type="button"
          class="button plain"
          onClick={() => change({ properties: [...condition.properties, NEW_PROPERTY] })}
        >
          <Icon name="filter" size={16} /> {condition.properties.length ? 'And another property' : 'Add a property'}
        </button>
      </div>
      <Share
        label="Roll-out to those who match"
        value={condition.percent}
        error={errorOf(`${index}.rollout_percentage`)}
        onChange={(percent) => change({ percent })}
      />
      {variants.length > 0 && (
        <Field label="Variant" error={errorOf(`${index}.variant`)}>
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              value={condition.variant}
              onChange={(event) => change({ variant: event.currentTarget.value })}
            >
              <option value="">By the shares of the variants</option>
              {[...new Set([...variants, condition.variant])].filter(Boolean).map((key) => (
                <option key={key} value={key}>
                  {key}
                </option>
              ))}
            </select>
          )}
        </Field>
      )}
    </fieldset>
  )
}

const MoveButton = ({
  label,
  isDisabled,
  isUp = false,
  onClick,
}: {
  readonly label: string
  readonly isDisabled: boolean
  readonly isUp?: boolean
  readonly onClick: () => void
}) => (
  <button type="button" class="button plain icon" aria-label={label} disabled={isDisabled} onClick={onClick}>
    <span aria-hidden="true">{isUp ? '↑' : '↓'}</span>
  </button>
)
