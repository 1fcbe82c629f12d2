// Suggestions at a larger edit distance would confuse.
const MAX_DISTANCE = 3

const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1))
    row = next
  }
  return row[b.length]!
}

/** Returns `Did you mean 'x'?` with the nearest known name, or `undefined` if none is near. */
export const suggest = (written: string, known: Iterable<string>): string | undefined => {
  let best: { name: string; far: number } | undefined
  const lower = written.toLowerCase()
  for (const name of known) {
    if (Math.abs(name.length - written.length) > MAX_DISTANCE) continue
    const far = distance(lower, name.toLowerCase())
    if (far <= Math.min(MAX_DISTANCE, Math.ceil(written.length / 3)) && (!best || far < best.far)) best = { name, far }
  }
  return best && `Did you mean '${best.name}'?`
}
