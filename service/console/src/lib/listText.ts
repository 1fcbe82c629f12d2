/** Writes values as one text for the URL, separated by commas. Commas in values get a backslash. */
export const joinList = (values: readonly string[]): string =>
  values.map((text) => text.replace(/[\\,]/g, '\\$&')).join(',')

/** Parses the output of `joinList`. */
export const splitList = (text: string): string[] => {
  const parts = ['']
  for (let at = 0; at < text.length; at++) {
    if (text[at] === ',') parts.push('')
    else parts[parts.length - 1] += text[at] === '\\' ? (text[++at] ?? '') : text[at]!
  }
  return parts
}
