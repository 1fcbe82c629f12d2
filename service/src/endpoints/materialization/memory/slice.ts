import type { Column, Result } from '../../../storage/storage.ts'
import { isFaithful, isInteger, isPlain, type Row } from './finish.ts'

/** Cells of one statement. */
export interface Slice {
  readonly columns: readonly Column[]
  readonly groups: readonly { readonly key: string; readonly values: Row }[]
  /** For each cell: the index of its group, its times and its aggregates. */
  readonly groupAt: readonly number[]
  readonly from: readonly number[]
  readonly to: readonly number[]
  readonly values: readonly Row[]
}

/** Layout of a row of cells. */
export interface SliceForm {
  /** Number of leading values of a cell that identify its group. */
  readonly groupCount: number
  /** Whether the aggregates add up, so that a cell has one time. Otherwise it has the first and the last. */
  readonly isAdditive: boolean
}

/** Returns the cells in a result, or `undefined` if they could differ from the engine's. */
export const sliceOf = ({ columns, rows }: Result, { groupCount, isAdditive }: SliceForm): Slice | undefined => {
  const firstValue = groupCount + (isAdditive ? 1 : 2)
  if (!columns.slice(0, groupCount).every(isPlain)) return undefined
  if (isAdditive && !columns.slice(firstValue).every(isInteger)) return undefined
  const groups: { key: string; values: Row }[] = []
  const places = new Map<string, number>()
  const slice = {
    columns,
    groups,
    groupAt: [] as number[],
    from: [] as number[],
    to: [] as number[],
    values: [] as Row[],
  }
  for (const row of rows) {
    const checked = isAdditive ? row : row.slice(0, groupCount)
    if (!checked.every((each, at) => isFaithful(each, columns[at]!))) return undefined
    const values = row.slice(0, groupCount)
    const key = JSON.stringify(values)
    if (!places.has(key)) places.set(key, groups.push({ key, values }) - 1)
    slice.groupAt.push(places.get(key)!)
    slice.from.push(row[groupCount] as number)
    slice.to.push(row[firstValue - 1] as number)
    slice.values.push(row.slice(firstValue))
  }
  return slice
}
