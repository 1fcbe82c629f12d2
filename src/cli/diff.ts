/** A file that a command changes. */
export interface Change {
  /** Path below the folder of the project. */
  path: string
  /** Previous text; `undefined` if the file does not exist. */
  before: string | undefined
  /** New text; `undefined` if the file is deleted. */
  after: string | undefined
}

const CONTEXT = 2

const linesOf = (text: string | undefined) => (text ? text.replace(/\n$/, '').split('\n') : [])

/** Returns pairs of indexes of the lines that both texts have, in their order. */
const common = (a: readonly string[], b: readonly string[]): [number, number][] => {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!)
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) pairs.push([i++, j++])
    else if (lengths[i + 1]![j]! >= lengths[i]![j + 1]!) i++
    else j++
  }
  return pairs
}

/** Returns the lines of a difference: ` ` unchanged, `-` removed, `+` added. */
const marked = (before: readonly string[], after: readonly string[]): string[] => {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const lines = before.slice(0, start).map((line) => ` ${line}`)
  let [i, j] = [0, 0]
  // Long parts are shown as replaced, because the memory for a comparison grows with the square of their length.
  for (const [nextI, nextJ] of [...(a.length * b.length < 4e6 ? common(a, b) : []), [a.length, b.length] as const]) {
    lines.push(...a.slice(i, nextI).map((line) => `-${line}`), ...b.slice(j, nextJ).map((line) => `+${line}`))
    if (nextI < a.length) lines.push(` ${a[nextI]}`)
    ;[i, j] = [nextI + 1, nextJ + 1]
  }
  return [...lines, ...before.slice(before.length - end).map((line) => ` ${line}`)]
}

/** Returns a change as lines for people to read. */
export const describeChange = ({ path, before, after }: Change): string[] => {
  const lines = marked(linesOf(before), linesOf(after))
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => !line.startsWith(' '))
  const shown = lines.flatMap((line, at) => (isNear(at) ? [line] : at > 0 && isNear(at - 1) ? [' …'] : []))
  return [
    `--- ${before === undefined ? '/dev/null' : path}`,
    `+++ ${after === undefined ? '/dev/null' : path}`,
    ...shown,
  ]
}

const COLORS: Record<string, number> = { '-': 31, '+': 32 }

/** Colors the lines of a difference. */
export const colored = (line: string): string => {
  const color = COLORS[line.charAt(0)]
  return color ? `\u001B[${color}m${line}\u001B[39m` : line
}
