/** A range of a string, as offsets. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/**
 * Returns the range of the value at a path in valid JSON. If the path does not exist, such as for a missing field, returns
 * the range of the innermost value on the path that exists.
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
  /** Reads a value. `rest`: the path from this value to the wanted one. Absent: the wanted one is not within it. */
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
