const STARS = '*****'
const fold = (text: string) => text.replace(/\s+|%20/g, '+')

/** Replaces everything that the user typed (`Typing.texts`) with asterisks wherever it occurs in `text`. */
export const hideTyped = (text: string, typed: readonly string[]): string => {
  if (!typed.length) return text
  const folded = fold(text)
  return (
    typed
      .filter((each) => folded.includes(each))
      // The longest first, because it may contain the others.
      .sort((a, b) => b.length - a.length)
      .reduce((hidden, each) => {
        const pattern = each.replace(/[\\^$.*?()[\]{}|]/g, '\\$&').replace(/\+/g, '(?:\\s+|%20|\\+)')
        return hidden.replace(new RegExp(pattern, 'g'), STARS)
      }, text)
  )
}
