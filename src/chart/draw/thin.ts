export type Point = readonly [x: number, y: number]

/** Returns the first, lowest, highest and last of some points, in their order. */
const outlineOf = (points: readonly Point[]): readonly Point[] => {
  if (points.length <= 4) return points
  let [low, high] = [points[0]!, points[0]!]
  for (const point of points) {
    if (point[1] < low[1]) low = point
    if (point[1] > high[1]) high = point
  }
  const kept = new Set([points[0]!, low, high, points[points.length - 1]!])
  return points.filter((point) => kept.has(point))
}

/** Thins a line to at most four points for each pixel of its width. Peaks stay. */
export const thin = (points: readonly Point[]): readonly Point[] => {
  const thinned: Point[] = []
  let column: Point[] = []
  for (const point of points) {
    if (column.length && Math.floor(point[0]) !== Math.floor(column[0]![0])) {
      thinned.push(...outlineOf(column))
      column = []
    }
    column.push(point)
  }
  return [...thinned, ...outlineOf(column)]
}

/** Splits a line where it has no value. */
export const segmentsOf = (points: readonly (Point | null)[]): readonly (readonly Point[])[] => {
  const segments: Point[][] = [[]]
  for (const point of points) {
    if (point) segments[segments.length - 1]!.push(point)
    else if (segments[segments.length - 1]!.length) segments.push([])
  }
  return segments.filter(({ length }) => length)
}
