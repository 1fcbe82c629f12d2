/** The values of an axis and their positions. */
export interface Scale {
  readonly ticks: readonly number[]
  /** Returns the position of a value. */
  at(value: number): number
}

/** Returns 1, 2 or 5 times a power of ten, at least `rough`. */
const niceStep = (rough: number): number => {
  const power = 10 ** Math.floor(Math.log10(rough))
  const factor = [1, 2, 5].find((each) => each * power >= rough) ?? 10
  return factor * power
}

/** Returns the smallest and the largest of some values and zero. */
export const extentOf = (values: Iterable<number | null>): [low: number, high: number] => {
  let [low, high] = [0, 0]
  for (const value of values) {
    if (value === null) continue
    if (value < low) low = value
    if (value > high) high = value
  }
  return [low, high]
}

/** Creates an axis with round values, from `bottom` up to `top`, which are positions. */
export const createScale = ([low, high]: [number, number], bottom: number, top: number): Scale => {
  const count = Math.max(2, Math.floor((bottom - top) / 50))
  const areWhole = Number.isInteger(low) && Number.isInteger(high)
  const rough = (high - low || 1) / count
  const step = niceStep(areWhole ? Math.max(1, rough) : rough)
  const [first, last] = [Math.floor(low / step), Math.max(Math.ceil(high / step), Math.floor(low / step) + 1)]
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
  const span = (last - first) * step
  return { ticks, at: (value) => bottom - ((value - first * step) / span) * (bottom - top) }
}
