import { search, setSearch } from '../../router.ts'
import { Select } from '../../ui/field.tsx'

const PERIODS: readonly (readonly [days: number, label: string])[] = [
  [1, 'Last 24 hours'],
  [7, 'Last 7 days'],
  [30, 'Last 30 days'],
  [90, 'Last 90 days'],
  [365, 'Last year'],
]
const DEFAULT_DAYS = 30

/** Returns the length of the period in the URL, in days. */
export const periodDays = (): number => {
  const days = Number(search.value.get('days'))
  return PERIODS.some(([each]) => each === days) ? days : DEFAULT_DAYS
}

/** Chooses the period that events are counted in. It is in the URL. */
export const PeriodSelect = () => (
  <Select
    label="Period"
    value={String(periodDays())}
    options={PERIODS.map(([days, label]) => ({ value: String(days), label }))}
    onChange={(value) => setSearch({ days: value === String(DEFAULT_DAYS) ? undefined : value })}
  />
)
