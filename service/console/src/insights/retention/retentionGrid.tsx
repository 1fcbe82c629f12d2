import { downloadCsv } from '../../lib/csv.ts'
import { formatShare, formatWhole } from '../../lib/format.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './retentionGrid.module.css'
import { Rows } from '../../ui/rows.tsx'

/** A cohort in the results of `RetentionQuery`. The first value is the cohort's own interval. */
export interface Cohort {
  readonly date: string
  readonly breakdown_value?: string | null | readonly (string | null)[]
  readonly values: readonly { readonly count: number; readonly incomplete?: boolean }[]
}

type Cell = Cohort['values'][number]

const sizeOf = ({ values }: Cohort) => values[0]?.count ?? 0

// Shades with a contrast of 4.5 to the text in both themes.
const SHADES = 5
const shadeOf = (share: number) => styles[`shade${Math.min(SHADES, Math.ceil(share * SHADES))}`] ?? ''

/** Returns the share of people who returned in each interval, over the cohorts whose interval is over. null: none is. */
export const meanRetention = (cohorts: readonly Cohort[]): readonly (number | null)[] =>
  (cohorts[0]?.values ?? []).map((_, index) => {
    const over = cohorts.filter(({ values }) => values[index] && !values[index].incomplete)
    const people = over.reduce((sum, cohort) => sum + sizeOf(cohort), 0)
    return people ? over.reduce((sum, { values }) => sum + values[index]!.count, 0) / people : null
  })

/** Retention: a row for each cohort with its size, and the share that returned in each later interval. */
export const RetentionGrid = ({
  caption,
  unit,
  results,
  formatCohort,
  onOpen,
}: {
  readonly caption: string
  /** Name of an interval, such as `Week`. */
  readonly unit: string
  /** Results of `RetentionQuery`. */
  readonly results: readonly unknown[]
  readonly formatCohort: (date: string) => string
  /** Shows the people of a cohort, by its date, who returned after a number of intervals. Absent: cells open nothing. */
  readonly onOpen?: (date: string, interval: number) => void
}) => {
  const cohorts = results as readonly Cohort[]
  const titles = (cohorts[0]?.values ?? []).map((_, index) => `${unit} ${index}`)
  const means = meanRetention(cohorts)
  const download = () =>
    downloadCsv(
      caption,
      ['Cohort', 'People', ...titles],
      cohorts.map((cohort) => [cohort.date, sizeOf(cohort), ...cohort.values.map(({ count }) => count)]),
    )
  return (
    <div class="stack">
      <div class="table-wrap" tabIndex={0} role="group" aria-label={caption}>
        <table class={styles.grid}>
          <caption class="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              {['Cohort', 'People', ...titles].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            <tr class={styles.mean}>
              <th scope="row">Mean</th>
              <td>{formatWhole(cohorts.reduce((sum, cohort) => sum + sizeOf(cohort), 0))}</td>
              {means.map((mean, index) => (
                <td key={index}>{mean === null ? '–' : formatShare(mean)}</td>
              ))}
            </tr>
            <Rows of={cohorts} keyOf={(_, index) => index} columns={titles.length + 2}>
              {(cohort) => (
                <tr>
                  <th scope="row">{formatCohort(cohort.date)}</th>
                  <td>{formatWhole(sizeOf(cohort))}</td>
                  {cohort.values.map((cell, at) => (
                    <RetentionCell
                      key={at}
                      cell={cell}
                      size={sizeOf(cohort)}
                      isStart={at === 0}
                      onOpen={onOpen && (() => onOpen(cohort.date, at))}
                    />
                  ))}
                </tr>
              )}
            </Rows>
          </tbody>
        </table>
      </div>
      <div class="row between">
        <span class="row small muted">
          <span class={`${styles.sample} ${styles.incomplete}`} aria-hidden="true" /> Not over yet, and not in the mean
        </span>
        <button type="button" class="button" onClick={download}>
          <Icon name="download" size={16} /> CSV
        </button>
      </div>
    </div>
  )
}

const RetentionCell = ({
  cell: { count, incomplete },
  size,
  isStart,
  onOpen,
}: Readonly<{ cell: Cell; size: number; isStart: boolean; onOpen: (() => void) | undefined }>) => {
  // An interval that has not begun is not over, and nobody was in it.
  const isAhead = incomplete && count === 0
  const share = size ? count / size : 0
  return (
    <td
      class={`${isAhead ? '' : shadeOf(share)} ${incomplete ? styles.incomplete : ''}`}
      title={
        isAhead ? 'Not over yet' : `${formatWhole(count)} of ${formatWhole(size)}${incomplete ? ', not over yet' : ''}`
      }
    >
      {isAhead || size === 0 ? (
        <span class="visually-hidden">{isStart ? '0' : 'Not over yet'}</span>
      ) : onOpen && count > 0 ? (
        <button type="button" onClick={onOpen}>
          {formatShare(share)}
        </button>
      ) : (
        formatShare(share)
      )}
      {incomplete && !isAhead && <span class="visually-hidden">, not over yet</span>}
    </td>
  )
}
