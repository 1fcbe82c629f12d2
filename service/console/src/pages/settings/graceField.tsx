import { Field } from '../../ui/field.tsx'

/** Grace period in which a replaced secret is still accepted, in seconds. */
export const GRACES: readonly { readonly seconds: number; readonly label: string }[] = [
  { seconds: 0, label: 'No longer' },
  { seconds: 3_600, label: 'For an hour' },
  { seconds: 86_400, label: 'For a day' },
  { seconds: 604_800, label: 'For a week' },
]

export const GraceField = ({
  label,
  value,
  error,
  onChange,
}: {
  readonly label: string
  readonly value: number
  readonly error?: string | undefined
  readonly onChange: (seconds: number) => void
}) => (
  <Field label={label} error={error}>
    {(attributes) => (
      <select
        {...attributes}
        class="input"
        value={String(value)}
        onChange={(event) => onChange(Number(event.currentTarget.value))}
      >
        {GRACES.map(({ seconds, label: text }) => (
          <option key={seconds} value={String(seconds)}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Field>
)
