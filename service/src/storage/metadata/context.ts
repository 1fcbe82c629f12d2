import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import type { CacheReads } from './readCache.ts'
import type { LockName } from './store.ts'
import type { Tables } from './tables.ts'

/** An open database: what the queries of every aggregate need. */
export interface MetadataContext {
  readonly db: Kysely<Tables>
  /** Runs `work` in one transaction, while no other transaction holds the lock `name`, which is `change` by default. */
  transact<Value>(work: (transaction: Transaction<Tables>) => Promise<Value>, name?: LockName): Promise<Value>
  /** Whether an error is the violation of a unique constraint. */
  isUniqueViolation(error: unknown): boolean
  readonly cacheReads: CacheReads
}

export const now = (): string => new Date().toISOString()

/** Returns `time` if it is in the future. */
export const ifFuture = (time: string | null): string | undefined => (time !== null && time > now() ? time : undefined)

/** Returns the condition that the time in `column` is in the future. */
export const isFuture = (column: 'previous_token_until' | 'previous_until'): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(column)} > ${now()}`

/** Resolves with `undefined` if `work` violates a unique constraint. */
export const unlessTaken = async <Value>(
  { isUniqueViolation }: Pick<MetadataContext, 'isUniqueViolation'>,
  work: () => Promise<Value>,
): Promise<Value | undefined> => {
  try {
    return await work()
  } catch (error) {
    if (isUniqueViolation(error)) return undefined
    throw error
  }
}
