import { formatCompact, formatDuration, formatNumber, formatShare, formatWhole } from '../../lib/format.ts'

/** A number of the overview, by its key in `WebOverviewQuery`. */
export interface Metric {
  readonly key: string
  readonly name: string
  readonly label: string
  readonly about: string
  readonly format: (value: number) => string
  readonly exact: (value: number) => string
  /** Whether more is worse. */
  readonly isIncreaseBad?: true
  /** Whether changes are shown as a difference in points, not in percent. */
  readonly isShare?: true
}

const VISITORS: Metric = {
  key: 'visitors',
  name: 'visitors',
  label: 'Visitors',
  about: 'Unique people with at least one session that started in this period.',
  format: formatCompact,
  exact: formatWhole,
}

/** The numbers without a goal. */
export const METRICS: readonly Metric[] = [
  VISITORS,
  {
    key: 'views',
    name: 'views',
    label: 'Views',
    about: 'Page views and screens in the sessions of this period.',
    format: formatCompact,
    exact: formatWhole,
  },
  {
    key: 'sessions',
    name: 'sessions',
    label: 'Sessions',
    about: 'Sessions with at least one view. A session belongs to the period in which it starts.',
    format: formatCompact,
    exact: formatWhole,
  },
  {
    key: 'bounce rate',
    name: 'bounce',
    label: 'Bounce rate',
    about: 'Share of sessions with one view, no further click and less than ten seconds.',
    format: (percent) => formatShare(percent / 100),
    exact: (percent) => `${formatNumber(percent)}%`,
    isIncreaseBad: true,
    isShare: true,
  },
  {
    key: 'session duration',
    name: 'duration',
    label: 'Session duration',
    about: 'Mean time from the first to the last event of a session.',
    format: formatDuration,
    exact: (seconds) => `${formatNumber(seconds)} seconds`,
  },
]

/** The numbers with a goal. */
export const GOAL_METRICS: readonly Metric[] = [
  VISITORS,
  {
    key: 'total conversions',
    name: 'conversions',
    label: 'Conversions',
    about: 'Goal events in the sessions of this period.',
    format: formatCompact,
    exact: formatWhole,
  },
  {
    key: 'unique conversions',
    name: 'converted',
    label: 'Converted visitors',
    about: 'Unique people with at least one session that contains the goal event.',
    format: formatCompact,
    exact: formatWhole,
  },
  {
    key: 'conversion rate',
    name: 'rate',
    label: 'Conversion rate',
    about: 'Share of the visitors who reached the goal.',
    format: (percent) => formatShare(percent / 100),
    exact: (percent) => `${formatNumber(percent)}%`,
    isShare: true,
  },
]
