import { Field } from '../../ui/field.tsx'
import styles from './settings.module.css'

/** A checkbox with a line about it. */
export const Check = ({
  label,
  about,
  value,
  onChange,
}: {
  readonly label: string
  readonly about?: string
  readonly value: boolean
  readonly onChange: (value: boolean) => void
}) => (
  <label class={styles.switch}>
    <input type="checkbox" checked={value} onChange={(event) => onChange(event.currentTarget.checked)} />
    {label}
    {about && <span class="small muted">{about}</span>}
  </label>
)

interface TextProps {
  readonly label: string
  readonly hint?: string
  readonly value: string
  readonly onChange: (value: string) => void
}

/** A field of text in the font of code. */
export const TextField = ({ label, hint, value, onChange }: TextProps) => (
  <Field label={label} hint={hint}>
    {(attributes) => (
      <input
        {...attributes}
        class="input mono"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

/** A field of lines, each a value. */
export const LinesField = ({ label, hint, value, onChange }: TextProps) => (
  <Field label={label} hint={hint}>
    {(attributes) => (
      <textarea
        {...attributes}
        class="input mono"
        rows={3}
        spellcheck={false}
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)

/** A field of a number that may be empty. */
export const NumberField = ({
  label,
  hint,
  value,
  max,
  onChange,
}: TextProps & {
  readonly max: number
}) => (
  <Field label={label} hint={hint}>
    {(attributes) => (
      <input
        {...attributes}
        class="input"
        type="number"
        min={0}
        max={max}
        step="any"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
)
