import { ApiError } from '../lib/apiError.ts'

/** Headers that must be unique. With duplicates, Node uses the first one, but a proxy may have used the second one. */
const AT_MOST_ONCE: ReadonlySet<string> = new Set(['host', 'authorization', 'x-api-key', 'content-type', 'origin'])

/**
 * Returns the error for a request with a duplicate of these headers. `rawHeaders`: alternating names and values, as
 * sent.
 */
export const repeatedHeader = (rawHeaders: readonly string[]): ApiError | undefined => {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!.toLowerCase()
    if (!AT_MOST_ONCE.has(name)) continue
    if (seen.has(name))
      return new ApiError('invalid_input', { detail: `The request has more than one "${name}" header. Send only one.` })
    seen.add(name)
  }
  return undefined
}
