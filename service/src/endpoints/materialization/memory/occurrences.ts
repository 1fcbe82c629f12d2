/** The times of some values, by which the distinct values in a time range are counted. */
export interface Occurrences {
  /** Returns the number of distinct values in a range, whose end is exclusive. `undefined`: nothing occurs in it. */
  distinct(from: number, to: number): number | undefined
}

/** Returns how many of the sorted numbers are less than `bound`. */
const countBelow = (sorted: Float64Array, bound: number): number => {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (sorted[middle]! < bound) low = middle + 1
    else high = middle
  }
  return low
}

/** `counted`: the times of each distinct value. `others`: times at which something occurs that is not counted. */
export const createOccurrences = (counted: readonly (readonly number[])[], others: readonly number[]): Occurrences => {
  const count = counted.length
  const starts = new Int32Array(count + 1)
  for (const [at, { length }] of counted.entries()) starts[at + 1] = starts[at]! + length
  const times = new Float64Array(starts[count]!)
  for (const [at, each] of counted.entries())
    times.subarray(starts[at], starts[at + 1]).set(Float64Array.from(each).sort())
  const firsts = new Float64Array(count).map((_, at) => times[starts[at]!]!).sort()
  const lasts = new Float64Array(count).map((_, at) => times[starts[at + 1]! - 1]!).sort()
  const rest = Float64Array.from(others).sort()

  const between = (from: number, to: number): number => {
    let found = 0
    for (let value = 0; value < count; value += 1) {
      const end = starts[value + 1]!
      let at = starts[value]!
      while (at < end && times[at]! < from) at += 1
      if (at < end && times[at]! < to) found += 1
    }
    return found
  }

  return {
    distinct(from, to) {
      if (from >= to) return undefined
      const isToEnd = count === 0 || to > lasts[count - 1]!
      const isFromStart = count === 0 || from <= firsts[0]!
      const found = isToEnd ? count - countBelow(lasts, from) : isFromStart ? countBelow(firsts, to) : between(from, to)
      return found > 0 || countBelow(rest, to) > countBelow(rest, from) ? found : undefined
    },
  }
}
