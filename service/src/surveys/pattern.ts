/** Maximum characters of a regular expression in a survey. */
export const MAX_PATTERN = 256

const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/
/** Whether it matches a varying number of times, and whether it can match more than once. */
const isVarying = (quantifier: string) => !/^\{\d+\}/.test(quantifier)
const canRepeat = (quantifier: string) => !/^(?:\?|\{[01](?:,1)?\})/.test(quantifier)

/**
 * Returns why a regular expression may not run in the pages of visitors, where nothing can stop it. `undefined`: it may.
 * Refuses what can take exponential time: backreferences, and repeated groups that contain repetitions or alternatives.
 */
export const patternProblem = (pattern: string): string | undefined => {
  if (pattern.length > MAX_PATTERN) return `may have at most ${MAX_PATTERN} characters`
  try {
    new RegExp(pattern)
  } catch (error) {
    return `is not a regular expression: ${(error as Error).message}`
  }
  const groups: { risky: boolean }[] = [{ risky: false }]
  for (let at = 0; at < pattern.length;) {
    const sign = pattern[at]!
    let closed: { risky: boolean } | undefined
    if (sign === '\\') {
      if (/^\\(?:[1-9]|k<)/.test(pattern.slice(at))) return 'may not have backreferences'
      at += 2
    } else if (sign === '[') {
      at += 1
      while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1
      at += 1
    } else {
      if (sign === '(') groups.push({ risky: false })
      else if (sign === ')') closed = groups.pop()
      else if (sign === '|') groups.at(-1)!.risky = true
      at += 1
    }
    const [quantifier] = sign === '(' || sign === '|' ? [] : (QUANTIFIER.exec(pattern.slice(at)) ?? [])
    if (quantifier) at += quantifier.length
    if (quantifier === undefined) {
      if (closed?.risky) groups.at(-1)!.risky = true
      continue
    }
    if (closed?.risky && canRepeat(quantifier))
      return 'may not repeat a group that contains repetitions or alternatives'
    if (closed?.risky || isVarying(quantifier)) groups.at(-1)!.risky = true
  }
  return undefined
}
