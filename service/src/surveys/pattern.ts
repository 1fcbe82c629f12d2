/** Maximum characters of a regular expression in a survey. */
export const MAX_PATTERN = 256

/** Length of the text for which the steps of an expression are estimated. */
const TEXT = 1_024
/** Maximum steps on a string of this length, about 4 ms. */
const MAX_STEPS = 3 * TEXT ** 2

/** An escape, a class, the beginning of a group or a character, and its quantifier. */
const TOKENS =
  /(\\(?:u\w{4}|x\w\w|.)|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<(?:[=!]|\w+>))|.)(?:([*+?])|\{(\d+)(,?)(\d*)\})?\??/gs

interface Group {
  /** Number of alternatives. */
  ways: number
  /** Whether it matches strings of different lengths or characters. */
  isFlexible: boolean
}

interface Token {
  readonly atom: string
  /** How often the atom matches. */
  readonly min: number
  readonly max: number
}

const tokensOf = (pattern: string): Token[] =>
  [...pattern.matchAll(TOKENS)].map(([, atom = '', sign, count, comma, limit]) => ({
    atom,
    min: sign ? (sign === '+' ? 1 : 0) : Number(count ?? 1),
    max: sign ? (sign === '?' ? 1 : TEXT) : comma ? Number(limit || TEXT) : Number(count ?? 1),
  }))

/** Whether an atom ends where the next token begins, so that backtracking never helps. */
const isApart = (atom: string, next: Token): boolean =>
  atom !== ')' &&
  next.min > 0 &&
  /^(?:\\\W|[^\\()[.|^$])$/s.test(next.atom) &&
  !new RegExp(`^${atom}$`).test(next.atom.at(-1)!)

/**
 * Returns an upper bound of the steps that a valid expression takes on a string of 1 kB. `Infinity`: it can take
 * exponential time, by backreferences or by repeated groups that contain repetitions or alternatives.
 */
const stepsOf = (pattern: string): number => {
  const tokens = tokensOf(pattern)
  const groups: Group[] = [{ ways: 1, isFlexible: false }]
  let steps = 1
  // What follows a choice is read once for each choice.
  let longest = 1
  for (const [at, { atom, min, max }] of tokens.entries()) {
    const group = groups[0]!
    if (/^\\(?:[1-9]|k)/.test(atom)) return Infinity
    if (atom === '|') Object.assign(group, { ways: group.ways + 1, isFlexible: true })
    if (atom.startsWith('(')) groups.unshift({ ways: 1, isFlexible: false })
    if (atom === ')') {
      groups.shift()
      steps *= group.ways
      if (group.isFlexible && max > 1) return Infinity
      groups[0]!.isFlexible ||= group.isFlexible
    }
    if (min < max) groups[0]!.isFlexible = true
    const next = tokens.slice(at + 1).find((each) => each.atom !== ')' || each.max !== 1 || each.min !== 1)
    // Nothing can fail after the last one.
    if (!next) continue
    if (min < max && !isApart(atom, next)) steps *= max - min + 1
    else longest = Math.max(longest, max)
  }
  const { ways } = groups[0]!
  const starts = pattern.startsWith('^') && ways === 1 ? 1 : TEXT
  return steps * longest * ways * starts
}

/**
 * Returns why a regular expression may not run in the pages of visitors, where nothing can stop it. `undefined`: it may.
 * `src/extensions/surveys/pattern.ts` of the SDK makes the same decision.
 */
export const patternProblem = (pattern: string): string | undefined => {
  if (pattern.length > MAX_PATTERN) return `may have at most ${MAX_PATTERN} characters`
  try {
    new RegExp(pattern)
  } catch (error) {
    return `is not a regular expression: ${(error as Error).message}`
  }
  const steps = stepsOf(pattern)
  if (steps === Infinity)
    return 'may have neither backreferences nor repeated groups that contain repetitions or alternatives'
  if (steps > MAX_STEPS)
    return 'may take too long on a string of 1 kB: it repeats too much. Use fewer repetitions such as .*, replace them with ones that end at the next character, such as [^/]*/, or begin with ^'
  return undefined
}
