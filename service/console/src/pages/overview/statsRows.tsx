import { formatCompact, formatWhole } from '../../lib/format.ts'
import type { Filter } from '../../lib/filters.ts'
import type { Breakdown } from './breakdowns.ts'
import styles from './statsRows.module.css'
import { Rows } from '../../ui/rows.tsx'

export interface StatsRow {
  readonly value: string | null
  readonly visitors: number
  /** Further cells, by column. */
  readonly cells: Readonly<Record<string, number | null>>
}

export interface StatsColumn {
  /** Name in the API's table. */
  readonly name: string
  readonly label: string
  readonly format: (value: number) => string
  readonly exact?: (value: number) => string
}

/** A row whose visitors are shown. */
export interface OpenedRow {
  readonly name: string
  readonly filter: Filter
}

/** The rows of a breakdown. The name of a row filters by it, the number of its visitors lists them. */
export const StatsRows = ({
  breakdown,
  columns,
  rows,
  onFilter,
  onOpen,
  hasMore,
  onMore,
}: {
  readonly breakdown: Breakdown
  readonly columns: readonly StatsColumn[]
  readonly rows: readonly StatsRow[]
  readonly onFilter: (filter: Filter) => void
  readonly onOpen: (opened: OpenedRow) => void
  readonly hasMore: boolean
  readonly onMore: () => void
}) => {
  if (rows.length === 0) return <p class={`muted ${styles.none}`}>Nothing in this period.</p>
  const most = Math.max(...rows.map(({ visitors }) => visitors), 1)
  const nameOf = (value: string | null) =>
    value === null || value === '' ? '(none)' : (breakdown.display?.(value) ?? value)
  const filterOf = (value: string | null): Filter =>
    value === null
      ? { operator: 'unset', ...breakdown.filter, values: [] }
      : { operator: 'is', ...breakdown.filter, values: [value] }
  return (
    <>
      <table class={styles.rows}>
        <caption class="visually-hidden">{breakdown.label}</caption>
        <thead>
          <tr>
            <th scope="col">{breakdown.label}</th>
            <th scope="col">Visitors</th>
            {columns.map(({ name, label }) => (
              <th key={name} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Rows of={rows} keyOf={({ value }) => `${value}`} columns={columns.length + 2}>
            {({ value, visitors, cells }) => (
              <tr>
                <td>
                  <div class="share-bar" style={{ width: `${(visitors / most) * 100}%` }} />
                  <button
                    type="button"
                    class={`${styles.name} clip`}
                    title={`Filter by ${nameOf(value)}`}
                    onClick={() => onFilter(filterOf(value))}
                  >
                    {nameOf(value)}
                  </button>
                </td>
                <td>
                  <button
                    type="button"
                    class={styles.people}
                    title={`${formatWhole(visitors)}. Show the people`}
                    onClick={() => onOpen({ name: nameOf(value), filter: filterOf(value) })}
                  >
                    {formatCompact(visitors)}
                  </button>
                </td>
                {columns.map(({ name, format, exact }) => {
                  const cell = cells[name]
                  return typeof cell === 'number' ? (
                    <td key={name} title={exact?.(cell)}>
                      {format(cell)}
                    </td>
                  ) : (
                    <td key={name}>–</td>
                  )
                })}
              </tr>
            )}
          </Rows>
        </tbody>
      </table>
      <div class="row between">
        <span class="muted small">One visitor can be counted in several rows.</span>
        {hasMore && (
          <button type="button" class="button plain" onClick={onMore}>
            Show more
          </button>
        )}
      </div>
    </>
  )
}
