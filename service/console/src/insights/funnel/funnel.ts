import { formatShare } from '../../lib/format.ts'
import type { CellValue } from '../../ui/simpleTable.tsx'
import { type Entity, nameOf } from '../entity.ts'
import { fieldsOf, listOf, textOf } from '../fields.ts'
import type { InsightKind, Parameter } from '../kind.ts'
import { figure, type Item, type TileData, toNumber, toText } from '../tileData.ts'
import { funnelQuery } from './funnelQuery.ts'

const ofFunnel = (results: readonly Item[]): TileData => {
  const steps = Array.isArray(results[0]) ? results.flat() : results
  const first = toNumber(steps[0]?.count) ?? 0
  const share = (count: number | null, of: number) => (count === null || !of ? null : formatShare(count / of))
  const rows = steps.map((step, index): readonly CellValue[] => {
    const count = toNumber(step.count)
    const before = index === 0 ? count : toNumber(steps[index - 1]!.count)
    const name =
      toText(step.custom_name ?? step.name) + (step.breakdown === undefined ? '' : `, ${toText(step.breakdown)}`)
    return [name, count, share(count, first), share(count, before ?? 0), toNumber(step.median_conversion_time)]
  })
  const last = toNumber(steps.at(-1)?.count)
  return {
    figures: [figure('Conversion', first && last !== null ? (last / first) * 100 : null, { unit: 'percent' })],
    table: { head: ['Step', 'People', 'Of the first', 'Of the step before', 'Median seconds'], rows },
  }
}

/** Funnels: the number of people who reach each of several steps. */
export const FUNNEL: InsightKind = {
  kind: 'FunnelsQuery',
  displayOf: () => 'funnel',
  toTileData: ({ results }) => ofFunnel(results as readonly Item[]),
  built: {
    name: 'funnel',
    label: 'Funnel',
    toQuery: funnelQuery,
    hasPeriod: true,
    titleOf: ({ series }) => (series as readonly Entity[]).map(nameOf).join(' → '),
    parametersOf: ({ series, funnelsFilter }) => {
      const { funnelOrderType, funnelWindowInterval, funnelWindowIntervalUnit } = fieldsOf(funnelsFilter)
      return [
        ['tab', 'funnel'],
        ...listOf(series).map(({ event }): Parameter => ['step', textOf(event)]),
        ['order', textOf(funnelOrderType) || undefined],
        [
          'window',
          funnelWindowInterval === undefined
            ? undefined
            : `${Number(funnelWindowInterval)}${textOf(funnelWindowIntervalUnit)}`,
        ],
      ]
    },
  },
}
