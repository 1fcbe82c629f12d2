/** Tells whether a `/` after this code begins a regular expression. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};]|\breturn|=>)\s*$/

const blank = (text: string) => text.replace(/[^\n]/g, ' ')

// In this order: comments, strings that end on their line (an apostrophe in the text of a page begins none), others.
const TOKEN =
  /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\/(?![/*])(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/|[`{}]/g

/** Returns the code of a source with comments, strings and regular expressions as blanks. Positions and lines stay. */
export const maskSource = (source: string): string => {
  let masked = ''
  let at = 0
  // The braces that are open: of templates (`true`) and of code.
  const open: boolean[] = []
  const keep = (end: number) => {
    masked += source.slice(at, end)
    at = end
  }
  const hide = (end: number) => {
    masked += blank(source.slice(at, end))
    at = end
  }
  /** Hides the text of a template until it ends or until its next expression. */
  const template = () => {
    const part = /(?:[^`\\$]|\\[^]|\$(?!\{))*(`|\$\{|$)/y
    part.lastIndex = at
    const [text, end] = part.exec(source)!
    hide(at + text.length)
    if (end === '${') open.push(true)
  }
  while (at < source.length) {
    TOKEN.lastIndex = at
    const found = TOKEN.exec(source)
    if (!found) break
    const [token] = found
    keep(found.index)
    const isUrl = token.startsWith('//') && masked.endsWith(':')
    const isDivision = /^\/[^/*]/.test(token) && !BEFORE_REGEX.test(masked.slice(-20))
    if (token === '{') {
      open.push(false)
      keep(at + 1)
    } else if (token === '}') {
      keep(at + 1)
      if (open.pop()) template()
    } else if (token === '`') {
      hide(at + 1)
      template()
    } else if (isUrl || isDivision) keep(at + 1)
    else hide(at + token.length)
  }
  return masked + source.slice(at)
}

/** Returns the position after the bracket that closes the one at `start` of masked code. */
export const closing = (masked: string, start: number): number => {
  let depth = 0
  for (let at = start; at < masked.length; at++) {
    if ('([{'.includes(masked[at]!)) depth++
    else if (')]}'.includes(masked[at]!) && --depth === 0) return at + 1
  }
  return masked.length
}

/** Returns the start and end of each part of a list in brackets, which begins at `start`. */
export const partsOf = (masked: string, start: number): [start: number, end: number][] => {
  const end = closing(masked, start) - 1
  const parts: [number, number][] = []
  let from = start + 1
  for (let at = from; at < end; at++) {
    if ('([{'.includes(masked[at]!)) at = closing(masked, at) - 1
    else if (masked[at] === ',') {
      parts.push([from, at])
      from = at + 1
    }
  }
  return [...parts, [from, end] as [number, number]].filter(([a, b]) => masked.slice(a, b).trim() !== '' || b > a)
}
