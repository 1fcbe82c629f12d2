import { useState } from 'preact/hooks'
import { Field } from '../ui/field.tsx'
import type { Asked, ReaderShare } from './reader.ts'
import { SharedTileView, type TileSource } from './sharedTile.tsx'
import styles from './shared.module.css'

type Variables = ReaderShare['variables']
type Dates = NonNullable<ReaderShare['dates']>

const initialValues = (variables: Variables): Readonly<Record<string, unknown>> =>
  Object.fromEntries(variables.map(({ name, values }) => [name, values[0]]))

/** A day as an input has it, within the limits. */
const clamp = (day: string, { min, max }: Dates): string => (day < min ? min : day > max ? max : day)

const DayInput = ({
  label,
  value,
  dates,
  onChange,
}: {
  readonly label: string
  readonly value: string
  readonly dates: Dates
  readonly onChange: (day: string) => void
}) => (
  <Field label={label}>
    {(attributes) => (
      <input
        {...attributes}
        class="input"
        type="date"
        min={dates.min}
        max={dates.max}
        value={value}
        onChange={({ currentTarget }) => currentTarget.value && onChange(clamp(currentTarget.value, dates))}
      />
    )}
  </Field>
)

const inReadingOrder = (tiles: ReaderShare['tiles']) => [...tiles].sort((a, b) => a.y - b.y || a.x - b.x)

/** The tiles of a share, and what its reader may change. */
export const SharedBoard = ({ share, source }: { readonly share: ReaderShare; readonly source: TileSource }) => {
  const [values, setValues] = useState(initialValues(share.variables))
  const [days, setDays] = useState<Asked['dates']>({})
  const { dates } = share
  const range = dates && { from: days.from ?? dates.from, to: days.to ?? dates.to }
  const change = (next: { from: string; to: string }) =>
    setDays(next.from <= next.to ? next : { from: next.to, to: next.from })
  return (
    <>
      {(share.variables.length > 0 || dates?.is_movable) && (
        <div class={styles.controls} role="group" aria-label="What is shown">
          {share.variables.map(({ name, values: choices }) => (
            <Field key={name} label={name}>
              {(attributes) => (
                <select
                  {...attributes}
                  class="input"
                  value={String(choices.indexOf(values[name] as string))}
                  onChange={({ currentTarget }) =>
                    setValues({ ...values, [name]: choices[Number(currentTarget.value)] })
                  }
                >
                  {choices.map((choice, index) => (
                    <option key={index} value={String(index)}>
                      {choice === '' ? '(empty)' : String(choice)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          ))}
          {dates?.is_movable && range && (
            <>
              <DayInput label="From" value={range.from} dates={dates} onChange={(from) => change({ ...range, from })} />
              <DayInput label="To" value={range.to} dates={dates} onChange={(to) => change({ ...range, to })} />
            </>
          )}
        </div>
      )}
      {dates && !dates.is_movable && (
        <p class="muted">
          {dates.from} to {dates.to}
        </p>
      )}
      <div class={styles.board}>
        {inReadingOrder(share.tiles).map((tile) => (
          <SharedTileView
            key={tile.id}
            tile={tile}
            asked={{ tile: tile.id, values, dates: dates?.is_movable ? days : {} }}
            source={source}
          />
        ))}
      </div>
    </>
  )
}
