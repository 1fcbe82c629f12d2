import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../lib/apiError.ts'
import type { After } from '../sql/resolve/keyset.ts'

/** The cursor of the first page. */
export const FIRST_PAGE = '*'

/** Returns an id of the query and variables that a cursor belongs to. */
export const cursorOwner = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16)

const reject = (detail: string) =>
  new ApiError('invalid_input', { detail: `${detail}. Start over with "cursor": "${FIRST_PAGE}".`, attr: 'cursor' })

const isAfter = (value: unknown): value is After => {
  const { keys, skip } = (value ?? {}) as Partial<After>
  return (
    Array.isArray(keys) &&
    keys.every((key) => key === null || typeof key === 'string') &&
    Number.isSafeInteger(skip) &&
    skip! >= 0
  )
}

/** Returns the position of a cursor; `undefined` for the first page. Throws `ApiError` if the cursor is invalid or has another `owner`. */
export const readCursor = (cursor: string, owner: string): After | undefined => {
  if (cursor === FIRST_PAGE) return undefined
  let content: unknown
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw reject('"cursor" is not a cursor of a previous response')
  }
  const { owner: found, after } = (content ?? {}) as { owner?: unknown; after?: unknown }
  if (!isAfter(after)) throw reject('"cursor" is not a cursor of a previous response')
  if (found !== owner) throw reject('"cursor" belongs to another version or to other variables')
  return after
}

/**
 * Returns the cursor of the page after `rows`, whose last `keyCount` columns are keys. Rows with equal keys are counted, so that none is
 * lost or repeated.
 */
export const nextCursor = (
  rows: readonly (readonly unknown[])[],
  keyCount: number,
  owner: string,
  before: After | undefined,
): string => {
  const keysOf = (row: readonly unknown[]) => row.slice(row.length - keyCount) as (string | null)[]
  const keys = keysOf(rows.at(-1)!)
  const firstEqual = rows.findIndex((row) => isDeepStrictEqual(keysOf(row), keys))
  const skip =
    rows.length - firstEqual + (firstEqual === 0 && before && isDeepStrictEqual(before.keys, keys) ? before.skip : 0)
  return Buffer.from(JSON.stringify({ owner, after: { keys, skip } })).toString('base64url')
}
