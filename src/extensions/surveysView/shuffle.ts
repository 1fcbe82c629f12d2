/** FNV-1a hash of a string. */
const hash = (text: string): number =>
  [...text].reduce((sum, char) => Math.imul(sum ^ char.charCodeAt(0), 16777619) >>> 0, 2166136261)

/** Returns the items in an order that looks random and is the same for the same seed. */
export const shuffled = <T>(items: readonly T[], seed: string): T[] =>
  items
    // The last characters of a string affect mostly the lowest bits of its hash.
    .map((item, index) => [hash(`${index}${seed}`), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item)
