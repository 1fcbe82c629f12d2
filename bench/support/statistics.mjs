/** The middle of some numbers; between the two in the middle where their count is even. */
export const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** The number that `share` of some numbers do not exceed. */
export const percentile = (numbers, share) =>
  [...numbers].sort((a, b) => a - b)[Math.max(0, Math.ceil(share * numbers.length) - 1)]

/** Median, smallest and largest of one member of some samples, less `base` each. */
export const summary = (samples, member, base = 0) => {
  const numbers = samples.map((sample) => sample[member] - base)
  return { median: median(numbers), min: Math.min(...numbers), max: Math.max(...numbers) }
}

/** A number with the digits that tell something: three significant ones, whole from a hundred on. */
export const digits = (number) => {
  if (!Number.isFinite(number)) return '–'
  const size = Math.abs(number)
  return number.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

/** `12.3 (11.0–15.2)`: the median and the spread. */
export const spread = ({ median, min, max }) => `${digits(median)} (${digits(min)}–${digits(max)})`

/** `0.08`: one median over another's. */
export const ratio = (one, other) => digits(one.median / other.median)
