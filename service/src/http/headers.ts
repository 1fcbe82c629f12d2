import { ApiError } from '../lib/apiError.ts'

/** Headers that decide about a request. Node takes the first of two, a proxy in front may have taken the second. */
const AT_MOST_ONCE: ReadonlySet<string> = new Set(['host', 'authorization', 'content-type', 'origin'])

/** The refusal of a request that carries one of them twice. `rawHeaders`: names and values in turn, as they were sent. */
export const repeatedHeader = (rawHeaders: readonly string[]): ApiError | undefined => {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!AT_MOST_ONCE.has(name)) continue
    if (seen.has(name))
      return new ApiError('invalid_input', { detail: `The request has more than one "${name}" header: send one.` })
    seen.add(name)
  }
  return undefined
}
