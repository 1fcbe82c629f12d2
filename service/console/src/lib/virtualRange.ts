/** Which rows of a long list are drawn, and the height in px of those before and after. */
export interface VirtualRange {
  readonly from: number
  readonly to: number
  readonly before: number
  readonly after: number
}

/** Returns the top of each row and, as the last item, the total height. */
export const topsOf = (heights: readonly number[]): Float64Array => {
  const tops = new Float64Array(heights.length + 1)
  for (const [index, height] of heights.entries()) tops[index + 1] = tops[index]! + height
  return tops
}

/** Returns the last index whose top is at or above `y`. */
const indexAt = (tops: Float64Array, y: number): number => {
  let [low, high] = [0, Math.max(0, tops.length - 2)]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (tops[middle]! <= y) low = middle
    else high = middle - 1
  }
  return low
}

/** Returns the rows between two heights, measured from the top of the list. */
export const rangeBetween = (tops: Float64Array, top: number, bottom: number): VirtualRange => {
  const count = tops.length - 1
  if (count <= 0) return { from: 0, to: 0, before: 0, after: 0 }
  const from = indexAt(tops, top)
  const to = Math.min(count, indexAt(tops, bottom) + 1)
  return { from, to, before: tops[from]!, after: tops[count]! - tops[to]! }
}
