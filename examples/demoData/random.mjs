/** Returns a generator of numbers from 0 to 1 that is the same for the same seed (mulberry32). */
export const createRandom = (seed) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Returns one of `[value, weight]` pairs, by weight. */
export const pick = (random, pairs) => {
  let left = random() * pairs.reduce((sum, [, weight]) => sum + weight, 0)
  for (const [value, weight] of pairs) if ((left -= weight) < 0) return value
  return pairs.at(-1)[0]
}

/** Returns a UUIDv7 of a time in ms since the epoch. */
export const uuidAt = (random, time) => {
  const hex = (count) => Array.from({ length: count }, () => Math.floor(random() * 16).toString(16)).join('')
  const stamp = Math.floor(time).toString(16).padStart(12, '0')
  return `${stamp.slice(0, 8)}-${stamp.slice(8)}-7${hex(3)}-${'89ab'[Math.floor(random() * 4)]}${hex(3)}-${hex(12)}`
}
