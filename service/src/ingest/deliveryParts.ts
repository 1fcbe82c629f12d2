import type { Row } from './storeBatch.ts'

/** A larger delivery is stored in parts, with batches of other deliveries in between. */
const MAX_PART_CHARS = 1_000_000
// Memory of a row, in addition to its line and its changed properties.
const ROW_CHARS = 200
// Memory of a changed property, in addition to its name and value.
const CHANGE_CHARS = 100

/** Estimates the memory of a row in characters, in addition to its line. */
const weightOf = ({ identity: { person, groups, groupUpdate } }: Row): number => {
  let weight = ROW_CHARS + groups.length * CHANGE_CHARS
  for (const changes of [person?.set, person?.setOnce, groupUpdate?.set])
    for (const [name, json] of changes ?? []) weight += CHANGE_CHARS + name.length + json.length
  return weight
}

/** Rows of a delivery that are stored together. */
export interface Part {
  readonly rows: readonly Row[]
  readonly lines: Buffer
  readonly chars: number
}

/** Cuts a delivery into parts that each take the engine a bounded time. */
export const partsOf = (rows: readonly Row[], lines: Buffer): readonly Part[] => {
  const weights = rows.map(weightOf)
  const total = weights.reduce((sum, weight) => sum + weight, lines.length)
  if (total <= MAX_PART_CHARS) return [{ rows, lines, chars: total }]
  const parts: Part[] = []
  let [first, start, end, chars] = [0, 0, 0, 0]
  const cut = (next: number) => {
    if (next > first) parts.push({ rows: rows.slice(first, next), lines: lines.subarray(start, end), chars })
    first = next
    start = end
    chars = 0
  }
  for (const [index, weight] of weights.entries()) {
    const lineEnd = lines.indexOf(0x0a, end) + 1
    const added = weight + lineEnd - end
    if (chars + added > MAX_PART_CHARS) cut(index)
    chars += added
    end = lineEnd
  }
  cut(rows.length)
  return parts
}
