import { formatShare } from '../../lib/format.ts'
import type { CellValue } from '../../ui/simpleTable.tsx'
import { type Entity, nameOf } from '../entity.ts'
import { fieldsOf, textOf } from '../fields.ts'
import type { InsightKind } from '../kind.ts'
import { type Item, type TileData, toText } from '../tileData.ts'
import { COHORTS, retentionQuery } from './retentionQuery.ts'

const ofRetention = (results: readonly Item[]): TileData => {
  const cohorts = results.map((each) => ({
    date: toText(each.date).slice(0, 10),
    values: (each.values ?? []) as readonly { readonly count: number; readonly label?: string; incomplete?: boolean }[],
  }))
  const width = Math.max(0, ...cohorts.map(({ values }) => values.length))
  const labels = cohorts.find(({ values }) => values.length === width)?.values ?? []
  const cell = (values: (typeof cohorts)[number]['values'], index: number): CellValue => {
    const [size, at] = [values[0]?.count ?? 0, values[index]]
    return !at || at.incomplete || !size ? null : formatShare(at.count / size)
  }
  return {
    table: {
      head: ['Cohort', 'Size', ...labels.slice(1).map(({ label }, index) => label ?? String(index + 1))],
      rows: cohorts.map(({ date, values }) => [
        date,
        values[0]?.count ?? 0,
        ...Array.from({ length: Math.max(0, width - 1) }, (_, index) => cell(values, index + 1)),
      ]),
    },
  }
}

/** Retention: the number of people who come back. */
export const RETENTION: InsightKind = {
  kind: 'RetentionQuery',
  displayOf: () => 'retention',
  toTileData: ({ results }) => ofRetention(results as readonly Item[]),
  built: {
    name: 'retention',
    label: 'Retention',
    toQuery: retentionQuery,
    hasPeriod: false,
    titleOf: ({ retentionFilter }) =>
      `Retention after ${nameOf((retentionFilter as { targetEntity: Entity }).targetEntity)}`,
    parametersOf: ({ retentionFilter }) => {
      const { retentionType, targetEntity, returningEntity, period, totalIntervals } = fieldsOf(retentionFilter)
      return [
        ['tab', 'retention'],
        ['start', textOf(fieldsOf(targetEntity).id)],
        ['return', textOf(fieldsOf(returningEntity).id)],
        ['unit', textOf(period) || undefined],
        ['cohorts', COHORTS.find(({ wire }) => wire === retentionType)?.value],
        ['intervals', typeof totalIntervals === 'number' ? `${totalIntervals}` : undefined],
      ]
    },
  },
}
