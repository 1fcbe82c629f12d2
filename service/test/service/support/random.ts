/** Random numbers that a seed repeats. */
export interface Random {
  /** Returns an integer from 0 to `count` - 1. */
  below(count: number): number
  chance(share: number): boolean
  pick<Value>(from: readonly Value[]): Value
  /** Returns `count` different values. */
  some<Value>(from: readonly Value[], count: number): Value[]
}

export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  // mulberry32
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (count: number) => Math.floor(next() * count)
  return {
    below,
    chance: (share) => next() < share,
    pick: (from) => from[below(from.length)]!,
    some(from, count) {
      const left = [...from]
      return Array.from({ length: Math.min(count, left.length) }, () => left.splice(below(left.length), 1)[0]!)
    },
  }
}
