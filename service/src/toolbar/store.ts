import { createHash } from 'node:crypto'
import { ifFuture, type MetadataContext } from '../storage/metadata/context.ts'
import { type ApiKey, toKey } from '../storage/metadata/keys.ts'

/** A session of the toolbar on one site. It has at most the rights that its key has at the time of each request. */
export interface ToolbarSession {
  readonly key: ApiKey
  readonly projectId: number
  /** The site's origin. */
  readonly origin: string
  /** Whether the site reaches the service on its own origin, so that its requests may have no `Origin`. */
  readonly isSameOrigin: boolean
  readonly createdAt: string
  /** Absent: the session was never used. */
  readonly usedAt: string | undefined
}

/** The exchange of a code for a session. */
export interface ToolbarStart {
  readonly code: string
  /** Secret of the new session. */
  readonly secret: string
  readonly projectId: number
  readonly origin: string
  readonly isSameOrigin: boolean
  /** Time of the exchange, as an ISO string. */
  readonly at: string
}

/**
 * One-time codes of the toolbar, and its sessions. Only hashes of their secrets are stored. Both belong to a personal
 * API key and end when the secret that this key had at the time is no longer accepted.
 */
export interface ToolbarStore {
  /** Resolves with `false` if there is no key with this id. */
  createCode(code: {
    code: string
    keyId: string
    projectId: number
    origin: string
    expiresAt: string
  }): Promise<boolean>
  /** Starts a session by a code, which is used up. Resolves with `undefined` if the code or its key is not valid. */
  start(start: ToolbarStart): Promise<ToolbarSession | undefined>
  /**
   * Replaces the session that a code has started, if it was never used and the code has not expired. This works once.
   * Resolves with `undefined` otherwise.
   */
  restart(start: ToolbarStart): Promise<ToolbarSession | undefined>
  /** Finds a session whose key is valid. */
  session(secret: string): Promise<ToolbarSession | undefined>
  /** Records the use of a session. Resolves with `false` if the session has ended. */
  touch(secret: string, usedAt: string): Promise<boolean>
  end(secret: string): Promise<void>
  /** Deletes codes that have expired at `at`, and sessions last used until `usedBefore` or created until `createdBefore`. */
  deleteExpired(limits: { at: string; usedBefore: string; createdBefore: string }): Promise<void>
}

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

type Db = MetadataContext['db']

/** What a code grants: a session with the rights of a key. */
interface Grant {
  readonly key_id: string
  readonly key_hash: string
  readonly expires_at: string
}

const findSession = async (db: Db, hash: string): Promise<ToolbarSession | undefined> => {
  const row = await db
    .selectFrom('toolbar_sessions')
    .innerJoin('api_keys', 'api_keys.id', 'toolbar_sessions.key_id')
    .selectAll('api_keys')
    .select([
      'toolbar_sessions.project_id as session_project_id',
      'toolbar_sessions.key_hash',
      'toolbar_sessions.origin',
      'toolbar_sessions.is_same_origin',
      'toolbar_sessions.created_at as began_at',
      'toolbar_sessions.used_at',
    ])
    .where('toolbar_sessions.hash', '=', hash)
    .executeTakeFirst()
  if (!row) return undefined
  const isAccepted = row.key_hash === row.hash || (row.key_hash === row.previous_hash && ifFuture(row.previous_until))
  if (!isAccepted) return undefined
  return {
    key: toKey(row),
    projectId: row.session_project_id,
    origin: row.origin,
    isSameOrigin: row.is_same_origin === 1,
    createdAt: row.began_at,
    usedAt: row.used_at ?? undefined,
  }
}

// One statement finds and deletes what is used up, so that it cannot be used twice.
const takeCode = (db: Db, { code, projectId, origin, at }: ToolbarStart): Promise<Grant | undefined> =>
  db
    .deleteFrom('toolbar_codes')
    .where('hash', '=', hashOf(code))
    .where('project_id', '=', projectId)
    .where('origin', '=', origin)
    .where('expires_at', '>', at)
    .returning(['key_id', 'key_hash', 'expires_at'])
    .executeTakeFirst()

const takeUnusedSession = (db: Db, { code, projectId, origin, at }: ToolbarStart): Promise<Grant | undefined> =>
  db
    .deleteFrom('toolbar_sessions')
    .where('code_hash', '=', hashOf(code))
    .where('used_at', 'is', null)
    .where('project_id', '=', projectId)
    .where('origin', '=', origin)
    .where('code_expires_at', '>', at)
    .returning(['key_id', 'key_hash', 'code_expires_at as expires_at'])
    .executeTakeFirst()

/** Starts a session with what a code grants. `codeHash`: the code, if it may start another session instead. */
const insertSession = async (
  db: Db,
  grant: Grant | undefined,
  { secret, projectId, origin, isSameOrigin, at }: ToolbarStart,
  codeHash: string | null,
): Promise<ToolbarSession | undefined> => {
  if (!grant) return undefined
  const { key_id, key_hash, expires_at } = grant
  const hash = hashOf(secret)
  await db
    .insertInto('toolbar_sessions')
    .values({
      hash,
      project_id: projectId,
      key_id,
      key_hash,
      origin,
      is_same_origin: isSameOrigin ? 1 : 0,
      code_hash: codeHash,
      code_expires_at: expires_at,
      created_at: at,
      used_at: null,
    })
    .execute()
  return findSession(db, hash)
}

export const createToolbarStore = ({ db, transact, cacheReads }: MetadataContext): ToolbarStore => {
  const byHash = cacheReads(
    'toolbar session',
    (hash: string) => findSession(db, hash),
    // An accepted previous secret of the key expires with time.
    ({ key }) => key.previousUntil === undefined,
  )
  return {
    createCode: ({ code, keyId, projectId, origin, expiresAt }) =>
      transact(async (transaction) => {
        const key = await transaction
          .selectFrom('api_keys')
          .select(['hash', 'previous_hash', 'previous_until'])
          .where('id', '=', keyId)
          .executeTakeFirst()
        if (!key) return false
        // Either secret may have been used to create the code, so it ends with the one that ends first.
        const keyHash = ifFuture(key.previous_until) ? key.previous_hash! : key.hash
        await transaction
          .insertInto('toolbar_codes')
          .values({
            hash: hashOf(code),
            project_id: projectId,
            key_id: keyId,
            key_hash: keyHash,
            origin,
            expires_at: expiresAt,
          })
          .execute()
        return true
      }),
    start: (start) =>
      transact(async (transaction) =>
        insertSession(transaction, await takeCode(transaction, start), start, hashOf(start.code)),
      ),
    restart: (start) =>
      transact(async (transaction) =>
        insertSession(transaction, await takeUnusedSession(transaction, start), start, null),
      ),
    session: (secret) => byHash(hashOf(secret)),
    async touch(secret, usedAt) {
      const touched = await db
        .updateTable('toolbar_sessions')
        .set({ used_at: usedAt })
        .where('hash', '=', hashOf(secret))
        .returning('hash')
        .executeTakeFirst()
      return touched !== undefined
    },
    async end(secret) {
      await db.deleteFrom('toolbar_sessions').where('hash', '=', hashOf(secret)).execute()
    },
    async deleteExpired({ at, usedBefore, createdBefore }) {
      await db.deleteFrom('toolbar_codes').where('expires_at', '<=', at).execute()
      await db
        .deleteFrom('toolbar_sessions')
        .where((or) =>
          or.or([
            or('used_at', '<=', usedBefore),
            or.and([or('used_at', 'is', null), or('created_at', '<=', usedBefore)]),
            or('created_at', '<=', createdBefore),
          ]),
        )
        .execute()
    },
  }
}
