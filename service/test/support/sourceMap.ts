/** Base64 VLQ of one number. */
const vlq = (value: number): string => {
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  let rest = value < 0 ? (-value << 1) | 1 : value << 1
  let text = ''
  do {
    const digit = rest & 31
    rest >>>= 5
    text += DIGITS[rest ? digit | 32 : digit]
  } while (rest)
  return text
}

/** Returns a source map that maps all of line 1 to one position of `source` (line from 1, column from 0). */
export const lineMap = (
  source: string,
  content: string,
  { line, column, name }: { readonly line: number; readonly column: number; readonly name: string },
): string =>
  JSON.stringify({
    version: 3,
    sources: [source],
    sourcesContent: [content],
    names: name ? [name] : [],
    mappings: vlq(0) + vlq(0) + vlq(line - 1) + vlq(column) + (name ? vlq(0) : ''),
  })
