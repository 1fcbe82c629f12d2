import { ApiError } from '../lib/apiError.ts'
import { isUuid } from '../lib/uuid.ts'

/** A position in a list of events, ordered by time and uuid. */
export interface Position {
  /** ms since the epoch. */
  readonly at: number
  readonly uuid: string
}

export const encodeCursor = (content: object): string => Buffer.from(JSON.stringify(content)).toString('base64url')

/** Returns the content of a cursor. Throws `ApiError` unless `holds` accepts it. */
export const decodeCursor = <Content>(
  cursor: string,
  holds: (content: Partial<Content>) => boolean,
  { attr, startOver }: { readonly attr: string; readonly startOver: string },
): Content => {
  let content: unknown
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    content = undefined
  }
  if (typeof content === 'object' && content !== null && holds(content)) return content as Content
  throw new ApiError('invalid_input', {
    attr,
    detail: `"${attr}" must be the value of "next" of a previous response. ${startOver}`,
  })
}

/** Range of the times that lists read, in ms since the epoch. */
export const START_OF_TIME = Date.UTC(1900, 0, 1)
// Nodes of a cluster pass constants in seconds, of which they read ten digits.
export const END_OF_TIME = Date.UTC(2286, 0, 1)

export const isPosition = ({ at, uuid }: Partial<Position>): boolean =>
  typeof at === 'number' && Number.isSafeInteger(at) && at >= START_OF_TIME && at < END_OF_TIME && isUuid(uuid)
