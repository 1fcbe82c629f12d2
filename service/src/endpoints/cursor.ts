import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { ApiError } from '../lib/apiError.ts'
import type { After } from '../sql/resolve/keyset.ts'

/** What asks for the first page. */
export const FIRST_PAGE = '*'

/** Tells which query with which variables a cursor belongs to. */
export const cursorOwner = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16)

const refuse = (detail: string) =>
  new ApiError('invalid_input', { detail: `${detail}: begin again with "cursor": "${FIRST_PAGE}".`, attr: 'cursor' })

const isAfter = (value: unknown): value is After => {
  const { keys, skip } = (value ?? {}) as Partial<After>
  return (
    Array.isArray(keys) &&
    keys.every((key) => key === null || typeof key === 'string') &&
    Number.isSafeInteger(skip) &&
    skip! >= 0
  )
}

/** The place that `cursor` marks; `undefined` for the first page. Throws `ApiError` if it is none of this `owner`. */
export const readCursor = (cursor: string, owner: string): After | undefined => {
  if (cursor === FIRST_PAGE) return undefined
  let content: unknown
  try {
    content = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    throw refuse('"cursor" is not one that a run has answered')
  }
  const { owner: found, after } = (content ?? {}) as { owner?: unknown; after?: unknown }
  if (!isAfter(after)) throw refuse('"cursor" is not one that a run has answered')
  if (found !== owner) throw refuse('"cursor" belongs to another version or to other variables')
  return after
}

/** The cursor for what comes after a page whose rows end in `keyCount` keys. Rows with the same keys are counted, so that none is lost or given twice. */
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
