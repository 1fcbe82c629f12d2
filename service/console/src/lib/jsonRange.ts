/** A range of a string, as offsets. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/**
 * Returns where the value at a path is in a valid JSON text. If the path leads nowhere, such as to a field that is missing, it
 * is the value around it.
 */
export const rangeOfJson = (text: string, path: readonly string[]): TextRange => {
  let at = 0
  const skipSpace = () => {
    while (/\s/.test(text[at] ?? '')) at += 1
  }
  const readString = (): string => {
    const start = at
    at += 1
    while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    at += 1
    return JSON.parse(text.slice(start, at)) as string
  }
  /** Reads a value. `rest`: the path from it to the wanted one, if that is within it. */
  const readValue = (rest?: readonly string[]): TextRange | undefined => {
    skipSpace()
    const start = at
    let found: TextRange | undefined
    const readMembers = (end: string, nameOf: (index: number) => string) => {
      at += 1
      skipSpace()
      for (let index = 0; text[at] !== end; index += 1) {
        const isOnPath = nameOf(index) === rest?.[0]
        found = readValue(isOnPath ? rest?.slice(1) : undefined) ?? found
        skipSpace()
        if (text[at] === ',') at += 1
        skipSpace()
      }
      at += 1
    }
    const readName = () => {
      const name = readString()
      skipSpace()
      at += 1 // The colon.
      return name
    }
    if (text[at] === '{') readMembers('}', readName)
    else if (text[at] === '[') readMembers(']', String)
    else if (text[at] === '"') readString()
    else while (/[^\s,\]}]/.test(text[at] ?? ' ')) at += 1
    return rest && (found ?? { start, end: at })
  }
  return readValue(path)!
}

/** Returns the line of an offset, from 1. */
export const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
