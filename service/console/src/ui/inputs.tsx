import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Field } from './field.tsx'

interface TextEvent {
  readonly currentTarget: { readonly value: string }
}

interface InputProps<Value> {
  readonly label: string
  readonly hint?: ComponentChildren
  readonly error?: string | undefined
  readonly value: Value | null | undefined
  readonly onChange: (value: Value) => void
}

interface TextProps extends InputProps<string> {
  readonly placeholder?: string
  /** Whether it is in the font of code, without spell checking. */
  readonly isCode?: boolean
  readonly isRequired?: boolean
  readonly maxLength?: number
}

/** Returns the attributes of a text control. */
const textAttributes = ({ value, onChange, placeholder, isCode = false, isRequired, maxLength }: TextProps) => ({
  class: isCode ? 'input mono' : 'input',
  spellcheck: !isCode,
  required: isRequired,
  maxLength,
  placeholder,
  value: value ?? '',
  onInput: (event: TextEvent) => onChange(event.currentTarget.value),
})

/** A labeled single-line text field. */
export const TextInput = (props: TextProps) => (
  <Field label={props.label} hint={props.hint} error={props.error}>
    {(attributes) => <input {...attributes} {...textAttributes(props)} autocomplete="off" />}
  </Field>
)

/** A labeled multi-line text field. */
export const TextArea = ({ rows = 4, ...props }: TextProps & { readonly rows?: number }) => (
  <Field label={props.label} hint={props.hint} error={props.error}>
    {(attributes) => <textarea {...attributes} {...textAttributes(props)} rows={rows} />}
  </Field>
)

/**
 * Returns attributes of an input whose text applies when the person presses Enter or leaves it. Keeps what is typed until
 * then, also when the page renders again.
 */
export const useCommitted = (value: string | number, onCommit: (text: string) => void) => {
  const [typed, setTyped] = useState<string>()
  return {
    value: typed ?? value,
    onInput: ({ currentTarget }: TextEvent) => setTyped(currentTarget.value),
    onChange: ({ currentTarget }: TextEvent) => {
      setTyped(undefined)
      onCommit(currentTarget.value)
    },
    onBlur: () => setTyped(undefined),
  }
}

/** A labeled number field. Empty: null. */
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

/** A labeled select. */
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

/** A labeled checkbox. `about`: a line of description. */
export const Checkbox = ({
  label,
  about,
  value,
  onChange,
}: {
  readonly label: string
  readonly about?: string
  readonly value: boolean | null | undefined
  readonly onChange: (value: boolean) => void
}) => (
  <label class="check">
    <input type="checkbox" checked={value ?? false} onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
    {about && <span class="small muted">{about}</span>}
  </label>
)
