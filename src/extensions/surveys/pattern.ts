const MAX_PATTERN = 256
// Length of a string, and the maximum steps of a pattern on it: about 4 ms.
const TEXT = 1024
const MAX_STEPS = 3 * TEXT ** 2

/** An escape, a class, the beginning of a group or a character, and its quantifier. */
const TOKENS =
  /(\\(?:u\w{4}|x\w\w|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<(?:[=!]|\w+>))|.)(?:([*+?])|\{(\d+)(,?)(\d*)\})?\??/gs

type Token = readonly [atom: string, min: number, max: number]

/** Whether an atom ends where the next token begins, so that backtracking never helps. */
const isApart = (atom: string, [next, min]: Token) =>
  atom !== ')' && min > 0 && /^(?:\\\W|[^\\()[.|^$])$/s.test(next) && !RegExp(`^${atom}$`).test(next[next.length - 1]!)

/**
 * Returns an upper bound of the steps of a valid pattern on a string of 1 kB. Infinity: exponential time, by a
 * backreference, or by a repeated group that contains a repetition or an alternative, such as `(a+)+` and `(a|aa)+`.
 */
const stepsOf = (pattern: string): number => {
  const tokens = [...pattern.matchAll(TOKENS)].map(([, atom, sign, count = 1, comma, limit]): Token =>
    sign ? [atom!, +(sign === '+'), sign === '?' ? 1 : TEXT] : [atom!, +count, comma ? +(limit || TEXT) : +count],
  )
  // For each open group: its number of alternatives, and whether it matches strings of different lengths or characters.
  const groups: [ways: number, isFlexible: boolean][] = [[1, false]]
  let steps = 1
  // What follows a choice is read once for each choice.
  let longest = 1
  tokens.forEach(([atom, min, max], at) => {
    const group = groups[0]!
    if (/^\\([1-9]|k)/.test(atom)) steps = Infinity
    if (atom === '|') groups[0] = [group[0] + 1, true]
    if (atom[0] === '(') groups.unshift([1, false])
    if (atom === ')') {
      groups.shift()
      steps *= group[1] && max > 1 ? Infinity : group[0]
      groups[0]![1] ||= group[1]
    }
    if (min < max) groups[0]![1] = true
    const next = tokens.slice(at + 1).find((each) => each[0] !== ')' || each[2] !== 1 || each[1] !== 1)
    // Nothing can fail after the last one.
    if (next)
      if (min < max && !isApart(atom, next)) steps *= max - min + 1
      else longest = Math.max(longest, max)
  })
  const [[ways]] = groups as [[number, boolean]]
  return steps * longest * ways * (pattern[0] === '^' && ways === 1 ? 1 : TEXT)
}

/** Whether a valid pattern may take too long. The service makes the same decision, service/src/surveys/pattern.ts. */
export const isRisky = (pattern: string): boolean => pattern.length > MAX_PATTERN || stepsOf(pattern) > MAX_STEPS
