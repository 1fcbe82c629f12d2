type Params = Readonly<Record<string, string | readonly string[] | undefined>>

/**
 * Returns the pattern of a path: the values of parameters become their names, such as `/blog/[slug]`. `named` returns the
 * segment of a parameter, `isMany`: of one with several segments.
 */
export const routePattern = (
  path: string,
  params: Params,
  named: (name: string, isMany: boolean) => string,
): string => {
  const isMany = (value: Params[string]) => typeof value !== 'string'
  const segments = path.split('/')
  const decoded = segments.map((segment) => {
    try {
      return decodeURIComponent(segment)
    } catch {
      return segment
    }
  })
  // Parameters of many segments first, and from the end, where parameters mostly are.
  const entries = Object.entries(params).sort(([, a], [, b]) => Number(isMany(b)) - Number(isMany(a)))
  for (const [name, value] of entries) {
    const values = [value ?? []].flat().flatMap((each) => each.split('/'))
    const at = values.length ? lastIndexOf(decoded, values) : -1
    if (at >= 0) {
      decoded.splice(at, values.length, '')
      segments.splice(at, values.length, named(name, values.length > 1 || isMany(value)))
    }
  }
  return segments.join('/')
}

/** Returns where a list contains another one, from the end. */
const lastIndexOf = (list: readonly string[], part: readonly string[]): number => {
  for (let at = list.length - part.length; at > 0; at -= 1)
    if (part.every((each, index) => list[at + index] === each || list[at + index] === encodeURIComponent(each)))
      return at
  return -1
}
