import type { ComponentChildren } from 'preact'
import { Field } from '../../ui/field.tsx'

interface InputProps<Value> {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly value: Value | null | undefined
  readonly onChange: (value: Value) => void
}

/** A labelled line of text. */
export const TextInput = ({
  value,
  onChange,
  placeholder,
  ...field
}: InputProps<string> & { readonly placeholder?: string }) => (
  <Field {...field}>
    {(attributes) => (
      <input
        {...attributes}
        class="input"
        autocomplete="off"
        placeholder={placeholder}
        value={value ?? ''}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

/** A labelled text of several lines. */
export const TextArea = ({ value, onChange, ...field }: InputProps<string>) => (
  <Field {...field}>
    {(attributes) => (
      <textarea
        {...attributes}
        class="input"
        rows={4}
        value={value ?? ''}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

/** A labelled number. Empty: null. */
export const NumberInput = ({
  value,
  onChange,
  min = 0,
  ...field
}: Omit<InputProps<number>, 'onChange'> & {
  readonly min?: number
  readonly onChange: (value: number | null) => void
}) => (
  <Field {...field}>
    {(attributes) => (
      <input
        {...attributes}
        class="input"
        type="number"
        min={min}
        value={value ?? ''}
        onInput={({ currentTarget: { value: text } }) => onChange(text === '' ? null : Number(text))}
      />
    )}
  </Field>
)

/** A labelled choice. */
export const SelectInput = <Value extends string>({
  value,
  options,
  onChange,
  ...field
}: InputProps<Value> & { readonly options: readonly (readonly [value: Value, label: string])[] }) => (
  <Field {...field}>
    {(attributes) => (
      <select
        {...attributes}
        class="input"
        value={value ?? ''}
        onChange={(event) => onChange(event.currentTarget.value as Value)}
      >
        {options.map(([option, label]) => (
          <option key={option} value={option}>
            {label}
          </option>
        ))}
      </select>
    )}
  </Field>
)

/** A labelled checkbox. */
export const Checkbox = ({
  label,
  value,
  onChange,
}: {
  readonly label: string
  readonly value: boolean | null | undefined
  readonly onChange: (value: boolean) => void
}) => (
  <label class="row">
    <input type="checkbox" checked={value ?? false} onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
  </label>
)
