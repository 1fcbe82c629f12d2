import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

interface ControlProps {
  readonly id: string
  readonly 'aria-describedby'?: string
  readonly 'aria-invalid'?: 'true'
}

/** A labeled control with its hint and error. `children` spreads the attributes onto the control. */
export const Field = ({
  label,
  hint,
  error,
  children,
}: {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly children: (attributes: ControlProps) => ComponentChildren
}) => {
  const id = useId()
  const describedBy = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(describedBy ? { 'aria-describedby': describedBy } : {}),
        ...(error ? { 'aria-invalid': 'true' as const } : {}),
      })}
      {hint && (
        <div id={`${id}-hint`} class="field-hint">
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} class="field-error">
          {error}
        </div>
      )}
    </div>
  )
}

/** A choice of few values, as radio buttons in a row. */
export const Segments = <Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
}) => {
  const name = useId()
  return (
    <div class="segments" role="radiogroup" aria-label={label}>
      {options.map((option) => (
        <label key={option.value}>
          <input type="radio" name={name} checked={option.value === value} onChange={() => onChange(option.value)} />
          {option.label}
        </label>
      ))}
    </div>
  )
}

/** A select of values. */
export const Select = <Value extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string
  readonly value: Value
  readonly options: readonly { readonly value: Value; readonly label: string }[]
  readonly onChange: (value: Value) => void
}) => (
  <select
    class="input"
    aria-label={label}
    value={value}
    onChange={(event) => onChange(event.currentTarget.value as Value)}
  >
    {options.map((option) => (
      <option key={option.value} value={option.value}>
        {option.label}
      </option>
    ))}
  </select>
)
