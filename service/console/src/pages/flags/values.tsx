import type { Failure } from '../../api/failure.ts'
import { Field, Segments } from '../../ui/field.tsx'
import { TextInput } from '../../ui/inputs.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type FlagDraft, sumOfShares, type VariantDraft, withEqualShares } from './draft.ts'
import { errorAt } from '../../lib/errorAt.ts'
import styles from './flagsPage.module.css'

const KINDS = [
  { value: 'switch', label: 'On or off' },
  { value: 'variants', label: 'Variants' },
] as const

const FIRST_VARIANTS: readonly VariantDraft[] = withEqualShares(
  ['control', 'test'].map((key) => ({ key, name: '', percent: '50', payload: '' })),
)

/** The values that a flag can have, and their payloads. */
export const Values = ({
  draft,
  failure,
  onChange,
}: {
  readonly draft: FlagDraft
  readonly failure: Failure | undefined
  readonly onChange: (changes: Partial<FlagDraft>) => void
}) => (
  <div class="stack">
    <div>
      <Segments
        label="Values"
        value={draft.variants.length ? 'variants' : 'switch'}
        options={KINDS}
        onChange={(kind) => onChange({ variants: kind === 'variants' ? FIRST_VARIANTS : [] })}
      />
    </div>
    {draft.variants.length ? (
      <Variants variants={draft.variants} failure={failure} onChange={(variants) => onChange({ variants })} />
    ) : (
      <TextInput
        label="Payload"
        hint="JSON that code gets with the flag when it is on. Optional."
        error={errorAt(failure, 'filters.payloads.true')}
        isCode
        value={draft.payload}
        onChange={(payload) => onChange({ payload })}
      />
    )}
  </div>
)

const Variants = ({
  variants,
  failure,
  onChange,
}: {
  readonly variants: readonly VariantDraft[]
  readonly failure: Failure | undefined
  readonly onChange: (variants: readonly VariantDraft[]) => void
}) => {
  const sum = sumOfShares(variants)
  const error = errorAt(failure, 'filters.multivariate.variants', { isWithin: true })
  return (
    <div class="stack">
      {variants.map((variant, index) => (
        <Variant
          key={index}
          variant={variant}
          error={errorAt(failure, `filters.payloads.${variant.key}`)}
          onChange={(changed) => onChange(variants.map((each, at) => (at === index ? changed : each)))}
          onRemove={() => onChange(variants.filter((_, at) => at !== index))}
        />
      ))}
      <div class="row">
        <button
          type="button"
          class="button"
          onClick={() => onChange([...variants, { key: '', name: '', percent: '0', payload: '' }])}
        >
          <Icon name="plus" size={16} /> Add a variant
        </button>
        <button type="button" class="button" onClick={() => onChange(withEqualShares(variants))}>
          Equal shares
        </button>
        <span class={sum === 100 ? 'small muted' : 'field-error'}>
          {sum === 100 ? 'The shares add up to 100%.' : `The shares add up to ${sum}%. They must add up to 100%.`}
        </span>
      </div>
      {error && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

const Variant = ({
  variant,
  error,
  onChange,
  onRemove,
}: {
  readonly variant: VariantDraft
  readonly error: string | undefined
  readonly onChange: (variant: VariantDraft) => void
  readonly onRemove: () => void
}) => (
  <div class={styles.variant}>
    <TextInput
      label="Variant"
      isCode
      isRequired
      value={variant.key}
      onChange={(key) => onChange({ ...variant, key })}
    />
    <Field label="Share in %">
      {(attributes) => (
        <input
          {...attributes}
          class="input"
          type="number"
          required
          min="0"
          max="100"
          step="any"
          value={variant.percent}
          onInput={(event) => onChange({ ...variant, percent: event.currentTarget.value })}
        />
      )}
    </Field>
    <TextInput
      label="Payload (JSON)"
      error={error}
      isCode
      value={variant.payload}
      onChange={(payload) => onChange({ ...variant, payload })}
    />
    <button
      type="button"
      class={`button plain icon ${styles.remove}`}
      aria-label={`Remove the variant ${variant.key}`}
      onClick={onRemove}
    >
      <Icon name="trash" size={16} />
    </button>
  </div>
)
