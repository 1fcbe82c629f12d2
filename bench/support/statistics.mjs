/** Returns the median. Of an even number of values, the mean of the two in the middle. */
export const median = (numbers) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** Returns the percentile: the smallest value that at least `share` (0 to 1) of the numbers do not exceed. */
export const percentile = (numbers, share) =>
  [...numbers].sort((a, b) => a - b)[Math.max(0, Math.ceil(share * numbers.length) - 1)]

/** Returns median, minimum and maximum of a member of the samples, each minus `base`. */
export const summary = (samples, member, base = 0) => {
  const numbers = samples.map((sample) => sample[member] - base)
  return { median: median(numbers), min: Math.min(...numbers), max: Math.max(...numbers) }
}

/** Formats a number with three significant digits, and as an integer from 100 on. */
export const digits = (number) => {
  if (!Number.isFinite(number)) return '–'
  const size = Math.abs(number)
  return number.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2)
}

/** Formats median and spread, such as `12.3 (11.0–15.2)`. */
export const spread = ({ median, min, max }) => `${digits(median)} (${digits(min)}–${digits(max)})`

/** Formats the ratio of two medians, such as `0.08`. */
export const ratio = (one, other) => digits(one.median / other.median)
