import type { Series } from '../model'

/** Series beyond these are not drawn: nobody could tell them apart. */
const MAX_SERIES = 20

/** A number at an x of a series. */
export interface Mark {
  readonly series: string
  readonly x: number
  readonly value: number | null
  readonly isComparison?: boolean | undefined
}

const weigh = (marks: readonly Mark[]) => marks.reduce((sum, { value }) => sum + Math.abs(value ?? 0), 0)

/** Groups marks by their series. Only the largest series are returned, in the order of their first marks. */
export const toSeries = (marks: readonly Mark[], length: number): { series: Series[]; leftOut: number } => {
  const bySeries = new Map<string, Mark[]>()
  for (const mark of marks) {
    const found = bySeries.get(mark.series)
    if (found) found.push(mark)
    else bySeries.set(mark.series, [mark])
  }
  let kept = [...bySeries]
  if (kept.length > MAX_SERIES) {
    const largest = kept.map((each) => ({ each, weight: weigh(each[1]) })).sort((a, b) => b.weight - a.weight)
    const shown = new Set(largest.slice(0, MAX_SERIES).map(({ each }) => each))
    kept = kept.filter((each) => shown.has(each))
  }
  const series = kept.map(([name, own]) => {
    const values: (number | null)[] = Array.from({ length }, () => null)
    for (const { x, value } of own) values[x] = value
    return { name, values, isComparison: own[0]!.isComparison }
  })
  return { series, leftOut: bySeries.size - series.length }
}
