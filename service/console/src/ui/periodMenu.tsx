import { useState } from 'preact/hooks'
import { type Period, PERIODS } from '../lib/period.ts'
import { setSearch } from '../router.ts'
import { Icon } from './icon.tsx'
import { Menu } from './menu.tsx'

/** Shows a period by its name. */
export const choosePeriod = (name: string): void => setSearch({ period: name, from: undefined, to: undefined })

/** A select for the period, stored in the URL. */
export const PeriodMenu = ({ period }: { readonly period: Period }) => (
  <Menu
    button={
      <>
        {period.label} <Icon name="down" size={14} />
      </>
    }
  >
    {(close) => (
      <>
        {PERIODS.map(({ name, label, shortcut }) => (
          <button
            key={name}
            type="button"
            role="menuitemradio"
            aria-checked={name === period.name}
            onClick={() => {
              close()
              choosePeriod(name)
            }}
          >
            {label}
            <kbd class="kbd">{shortcut.toUpperCase()}</kbd>
          </button>
        ))}
        <CustomPeriod period={period} onDone={close} />
      </>
    )}
  </Menu>
)

const CustomPeriod = ({ period, onDone }: { readonly period: Period; readonly onDone: () => void }) => {
  const isCustom = period.name === 'custom'
  const [from, setFrom] = useState(isCustom ? period.dateFrom : '')
  const [to, setTo] = useState(isCustom ? (period.dateTo ?? '') : '')
  const submit = (event: Event) => {
    event.preventDefault()
    setSearch({ period: undefined, from, to })
    onDone()
  }
  return (
    <form class="stack" style={{ gap: '0.5rem', padding: '0.6rem' }} onSubmit={submit}>
      <label class="field">
        From
        <input
          class="input"
          type="date"
          required
          value={from}
          max={to || undefined}
          onInput={(event) => setFrom(event.currentTarget.value)}
        />
      </label>
      <label class="field">
        To
        <input
          class="input"
          type="date"
          required
          value={to}
          min={from || undefined}
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="button">
        Show this range
      </button>
    </form>
  )
}
