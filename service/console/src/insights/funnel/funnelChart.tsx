import { downloadCsv } from '../../lib/csv.ts'
import { formatDuration, formatShare, formatWhole } from '../../lib/format.ts'
import { eventName } from '../../lib/eventNames.ts'
import { Icon } from '../../ui/icon.tsx'
import styles from './funnelChart.module.css'
import { Rows } from '../../ui/rows.tsx'

/** A step in the results of `FunnelsQuery`. */
export interface FunnelStep {
  readonly name: string
  readonly custom_name?: string | null
  readonly count: number
  readonly median_conversion_time: number | null
  readonly breakdown_value?: string | null | readonly (string | null)[]
}

/** People of a funnel. `step`: the step they reached, from 1 or, negative, before which they left. */
export interface FunnelGroup {
  readonly step: number
  readonly name: string
  readonly value: FunnelStep['breakdown_value']
}

/** Returns one list of steps for each value of the breakdown, or one in all, from the results of `FunnelsQuery`. */
export const funnelLists = (results: readonly unknown[]): readonly (readonly FunnelStep[])[] =>
  (Array.isArray(results[0]) ? results : [results]) as readonly (readonly FunnelStep[])[]

const HEAD = ['Step', 'People', 'Of first', 'Of previous', 'Lost', 'Median time'] as const

const titleOf = (steps: readonly FunnelStep[]): string | undefined => {
  const value = steps[0]?.breakdown_value
  return value === undefined
    ? undefined
    : [value]
        .flat()
        .map((each) => each || '(none)')
        .join(', ')
}

const shareOf = (count: number, of: number | undefined): number | null => (of ? count / of : null)

/** The numbers of each step: its share of the first and of the previous step, and how many people dropped off. */
const toRows = (steps: readonly FunnelStep[]) =>
  steps.map((step, index) => {
    const before = steps[index - 1]
    return {
      name: eventName(step.custom_name ?? step.name),
      count: step.count,
      ofFirst: shareOf(step.count, steps[0]?.count),
      ofPrevious: before ? shareOf(step.count, before.count) : null,
      lost: before ? before.count - step.count : null,
      median: step.median_conversion_time,
    }
  })

const shareText = (value: number | null) => (value === null ? '–' : formatShare(value))

/** A funnel: people by the steps they reached. The chart is a table, and each row's bar its share of the first step. */
export const FunnelChart = ({
  caption,
  results,
  onOpen,
}: {
  readonly caption: string
  /** Results of `FunnelsQuery`. */
  readonly results: readonly unknown[]
  /** Opens the people of a step. Absent: steps cannot be opened. */
  readonly onOpen?: (group: FunnelGroup) => void
}) => {
  const lists = funnelLists(results)
  const download = () =>
    downloadCsv(
      caption,
      ['Value', ...HEAD],
      lists.flatMap((steps) =>
        toRows(steps).map((row) => [
          titleOf(steps) ?? '',
          row.name,
          row.count,
          row.ofFirst,
          row.ofPrevious,
          row.lost,
          row.median,
        ]),
      ),
    )
  return (
    <div class="stack">
      {lists.map((steps, index) => (
        <Funnel
          key={index}
          caption={caption}
          title={titleOf(steps)}
          steps={steps}
          color={(index % 5) + 1}
          onOpen={onOpen}
        />
      ))}
      <div class="row">
        <button type="button" class="button" onClick={download}>
          <Icon name="download" size={16} /> CSV
        </button>
      </div>
    </div>
  )
}

const Funnel = ({
  caption,
  title,
  steps,
  color,
  onOpen,
}: {
  readonly caption: string
  readonly title: string | undefined
  readonly steps: readonly FunnelStep[]
  readonly color: number
  readonly onOpen: ((group: FunnelGroup) => void) | undefined
}) => (
  <div class="table-wrap" tabIndex={0} role="group" aria-label={title ?? caption}>
    <table class={styles.funnel}>
      <caption class={title ? styles.title : 'visually-hidden'}>{title ?? caption}</caption>
      <thead>
        <tr>
          {HEAD.map((text, index) => (
            <th key={text} scope="col" class={index ? 'end' : ''}>
              {text}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <Rows of={toRows(steps)} keyOf={(_, index) => index} columns={HEAD.length}>
          {(row, index) => (
            <tr>
              <th scope="row">
                <span class={styles.name}>
                  <span class={styles.index}>{index + 1}</span>
                  <span class="clip">{row.name}</span>
                </span>
                <span class={styles.track}>
                  <span
                    class={styles.bar}
                    style={{ width: `${(row.ofFirst ?? 0) * 100}%`, background: `var(--series-${color})` }}
                  />
                </span>
              </th>
              <td class={styles.main}>
                <People
                  count={row.count}
                  label={`People in step ${index + 1}`}
                  onOpen={
                    onOpen && (() => onOpen({ step: index + 1, name: row.name, value: steps[0]?.breakdown_value }))
                  }
                />
              </td>
              <td class={styles.main}>{shareText(row.ofFirst)}</td>
              <td>{shareText(row.ofPrevious)}</td>
              <td>
                {row.lost === null ? (
                  '–'
                ) : (
                  <People
                    count={row.lost}
                    label={`People lost before step ${index + 1}`}
                    onOpen={
                      onOpen && (() => onOpen({ step: -index - 1, name: row.name, value: steps[0]?.breakdown_value }))
                    }
                  />
                )}
              </td>
              <td>{row.median === null ? '–' : formatDuration(row.median)}</td>
            </tr>
          )}
        </Rows>
      </tbody>
    </table>
  </div>
)

const People = ({
  count,
  label,
  onOpen,
}: {
  readonly count: number
  readonly label: string
  readonly onOpen: (() => void) | undefined
}) =>
  onOpen && count > 0 ? (
    <button type="button" class="button plain" title={label} onClick={onOpen}>
      {formatWhole(count)}
    </button>
  ) : (
    <>{formatWhole(count)}</>
  )
