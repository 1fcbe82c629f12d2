import { withItem } from '../../lib/withItem.ts'
import { Select } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { NEW_COMPARISON, NEW_RULE, type RuleDraft } from './exceptionDraft.ts'
import styles from './settings.module.css'

type Comparison = RuleDraft['values'][number]

const MATCHES = [
  { value: 'AND', label: 'all of these match' },
  { value: 'OR', label: 'any of these matches' },
] as const
const KEYS = [
  { value: '$exception_types', label: 'Type' },
  { value: '$exception_values', label: 'Message' },
] as const
const OPERATORS = [
  { value: 'exact', label: 'is' },
  { value: 'is_not', label: 'is not' },
  { value: 'icontains', label: 'contains' },
  { value: 'not_icontains', label: 'does not contain' },
  { value: 'regex', label: 'matches the regular expression' },
  { value: 'not_regex', label: 'does not match the regular expression' },
] as const

/** Rules by which sites drop exceptions before they send them. */
export const SuppressionRules = ({
  rules,
  onChange,
}: {
  readonly rules: readonly RuleDraft[]
  readonly onChange: (rules: readonly RuleDraft[]) => void
}) => (
  <div class="stack">
    {rules.map((rule, index) => (
      <fieldset key={index} class={styles.scopes}>
        <legend>Rule {index + 1}</legend>
        <div class="row">
          Drop an exception if
          <Select
            label={`Match of rule ${index + 1}`}
            value={rule.type}
            options={MATCHES}
            onChange={(type) => onChange(withItem(rules, index, { ...rule, type }))}
          />
        </div>
        {rule.values.map((comparison, at) => (
          <ComparisonRow
            key={at}
            comparison={comparison}
            onChange={(next) => onChange(withItem(rules, index, { ...rule, values: withItem(rule.values, at, next) }))}
            onRemove={() => {
              const values = withItem(rule.values, at, undefined)
              onChange(withItem(rules, index, values.length ? { ...rule, values } : undefined))
            }}
          />
        ))}
        <div class="row">
          <button
            type="button"
            class="button"
            onClick={() => onChange(withItem(rules, index, { ...rule, values: [...rule.values, NEW_COMPARISON] }))}
          >
            <Icon name="plus" size={16} /> Add a condition
          </button>
        </div>
      </fieldset>
    ))}
    <div class="row">
      <button type="button" class="button" onClick={() => onChange([...rules, NEW_RULE])}>
        <Icon name="plus" size={16} /> Add a rule
      </button>
    </div>
  </div>
)

const ComparisonRow = ({
  comparison,
  onChange,
  onRemove,
}: {
  readonly comparison: Comparison
  readonly onChange: (comparison: Comparison) => void
  readonly onRemove: () => void
}) => (
  <div class={styles.comparison}>
    <Select
      label="What is compared"
      value={comparison.key}
      options={KEYS}
      onChange={(key) => onChange({ ...comparison, key })}
    />
    <Select
      label="Comparison"
      value={comparison.operator}
      options={OPERATORS}
      onChange={(operator) => onChange({ ...comparison, operator })}
    />
    <textarea
      class="input mono"
      aria-label="Values, one per line"
      rows={1}
      required
      spellcheck={false}
      value={comparison.value}
      onInput={(event) => onChange({ ...comparison, value: event.currentTarget.value })}
    />
    <button type="button" class="button plain icon" aria-label="Remove the condition" onClick={onRemove}>
      <Icon name="trash" size={16} />
    </button>
  </div>
)
