/** Returns the number of insertions, deletions and replacements between two texts. */
const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1)
      row.push(Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + Number(a[i - 1] !== b[j - 1])))
    previous = row
  }
  return previous.at(-1)!
}

const plain = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

const MAX_LENGTH = 200

/** Returns the name that a misspelled one most likely means: at most a third of its letters differ. */
export const nearest = (name: string, names: readonly string[]): string | undefined => {
  const text = plain(name.slice(0, MAX_LENGTH))
  const [best] = names
    .map((each) => ({ each, by: distance(text, plain(each.slice(0, MAX_LENGTH))) }))
    .filter(({ each, by }) => by <= Math.max(text.length, plain(each).length) / 3)
    .sort((a, b) => a.by - b.by)
  return best?.each
}
