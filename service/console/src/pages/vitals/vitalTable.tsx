import { useState } from 'preact/hooks'
import { formatCompact, formatWhole, regionName } from '../../lib/format.ts'
import type { Filter } from '../../lib/filters.ts'
import { useQuery } from '../../lib/useQuery.ts'
import { Load, Progress } from '../../ui/states.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { Distribution } from './distribution.tsx'
import { formatVital, hasEnough, MIN_SAMPLES, type Vital, type VitalRow } from './vitals.ts'
import styles from './vitals.module.css'
import { Rows } from '../../ui/rows.tsx'

interface Breakdown {
  readonly by: string
  readonly label: string
  /** Event property that a click on a row filters by. */
  readonly key: string
  readonly display?: (value: string) => string
}

const BREAKDOWNS: readonly Breakdown[] = [
  { by: 'Page', label: 'Pages', key: '$pathname' },
  { by: 'DeviceType', label: 'Devices', key: '$device_type' },
  { by: 'Country', label: 'Countries', key: '$geoip_country_code', display: regionName },
  { by: 'Browser', label: 'Browsers', key: '$browser' },
]
const TABS: readonly Tab<string>[] = BREAKDOWNS.map(({ by, label }) => ({ name: by, label }))
const ROWS = 10

/** One metric by page, device, country or browser. A click on a row filters the page by it. */
export const VitalTable = ({
  vital,
  base,
  onFilter,
}: {
  readonly vital: Vital
  /** Fields of the query: dates, filters, kind of navigation. */
  readonly base: Readonly<Record<string, unknown>>
  readonly onFilter: (filter: Filter) => void
}) => {
  const [by, setBy] = useState('Page')
  const [limit, setLimit] = useState(ROWS)
  const breakdown = BREAKDOWNS.find((each) => each.by === by)!
  const loaded = useQuery({ ...base, kind: 'WebVitalsQuery', metrics: [vital.name], breakdownBy: by, limit })
  return (
    <section class="card" aria-label={`${vital.title} by`}>
      <Tabs
        label={`${vital.title} by`}
        tabs={TABS}
        current={by}
        onChange={(name) => {
          setBy(name)
          setLimit(ROWS)
        }}
      >
        <Progress isActive={loaded.isLoading} {...(loaded.share === undefined ? {} : { share: loaded.share })} />
        <Load of={loaded}>
          {(data) => (
            <>
              <VitalRows
                vital={vital}
                breakdown={breakdown}
                rows={data.results as readonly VitalRow[]}
                onFilter={onFilter}
              />
              {data.hasMore === true && (
                <button type="button" class="button plain" onClick={() => setLimit(limit + 30)}>
                  Show more
                </button>
              )}
            </>
          )}
        </Load>
      </Tabs>
    </section>
  )
}

const VitalRows = ({
  vital: { name },
  breakdown: { key, label, display },
  rows,
  onFilter,
}: {
  readonly vital: Vital
  readonly breakdown: Breakdown
  readonly rows: readonly VitalRow[]
  readonly onFilter: (filter: Filter) => void
}) => {
  if (rows.length === 0) return <p class={`muted ${styles.none}`}>Nothing in this period.</p>
  const nameOf = (value: string | null) => (value === null ? '(none)' : (display?.(value) ?? value))
  const filterOf = (value: string | null): Filter =>
    value === null
      ? { operator: 'unset', type: 'event', key, values: [] }
      : { operator: 'is', type: 'event', key, values: [value] }
  return (
    <div class="table-wrap" tabIndex={0} role="group" aria-label={`${name} by ${label}`}>
      <table class="table">
        <caption class="visually-hidden">{`${name} by ${label}`}</caption>
        <thead>
          <tr>
            <th scope="col">{label}</th>
            <th scope="col" class="end">
              p75
            </th>
            <th scope="col" class="end">
              p90
            </th>
            <th scope="col">Distribution</th>
            <th scope="col" class="end">
              Values
            </th>
          </tr>
        </thead>
        <tbody>
          <Rows of={rows} keyOf={({ breakdown_value: value }) => `${value}`} columns={5}>
            {({ breakdown_value: value, metrics }) => {
              const values = metrics[name]!
              const enough = hasEnough(values)
              return (
                <tr>
                  <td>
                    <button
                      type="button"
                      class={`text-button clip ${styles.name}`}
                      title={`Filter by ${nameOf(value)}`}
                      onClick={() => onFilter(filterOf(value))}
                    >
                      {nameOf(value)}
                    </button>
                  </td>
                  <td class="end" {...(enough ? {} : { title: `Shown from ${MIN_SAMPLES} values on` })}>
                    {enough ? formatVital(name, values.p75!) : '–'}
                  </td>
                  <td class="end">{enough ? formatVital(name, values.p90!) : '–'}</td>
                  <td>{values.count > 0 && <Distribution values={values} />}</td>
                  <td class="end" title={formatWhole(values.count)}>
                    {formatCompact(values.count)}
                  </td>
                </tr>
              )
            }}
          </Rows>
        </tbody>
      </table>
    </div>
  )
}
