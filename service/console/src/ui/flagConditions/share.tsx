import { useId } from 'preact/hooks'
import styles from './flagConditions.module.css'

/** A percentage, as a number and a slider. */
export const Share = ({
  label,
  value,
  error,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly error?: string | undefined
  readonly onChange: (value: string) => void
}) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class={styles.share}>
        <input
          id={id}
          class="input"
          type="number"
          required
          min="0"
          max="100"
          step="any"
          value={value}
          {...(error ? { 'aria-invalid': 'true', 'aria-describedby': `${id}-error` } : {})}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
        %
        <input
          type="range"
          aria-label={`${label}, slider`}
          min="0"
          max="100"
          step="1"
          value={Number(value) || 0}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      </div>
      {error && (
        <div id={`${id}-error`} class="field-error">
          {error}
        </div>
      )}
    </div>
  )
}
