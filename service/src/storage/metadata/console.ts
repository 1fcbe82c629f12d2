import { createHash, randomBytes } from 'node:crypto'
import { ifFuture, type MetadataContext, now } from './context.ts'
import { type ApiKey, toKey } from './keys.ts'

/** A session of the console. It has the rights that its key has at the time of each request. */
export interface ConsoleSession {
  readonly key: ApiKey
  readonly createdAt: string
  readonly usedAt: string
}

/** Console of this store, as it was last served. */
export interface ConsoleInstance {
  /** Distinguishes the services on one host, whose cookies browsers keep together. */
  readonly id: string
  /** URL of the console's first page. Absent: the service has not started with this store, or the console answers on no host of it. */
  readonly url: string | undefined
}

/**
 * One-time links to the console, and its sessions. Only hashes of their secrets are stored. Both belong to a personal
 * API key and end when the secret that this key had at the time is no longer accepted.
 */
export interface ConsoleStore {
  /** Returns the instance, with a new id if the store has none. */
  instance(): Promise<ConsoleInstance>
  setUrl(url: string | undefined): Promise<void>
  /** Deletes expired links. Resolves with `false` if there is no key with this id. */
  createLink(link: { secret: string; keyId: string; expiresAt: string }): Promise<boolean>
  /** Starts a session by a link, which is used up. Resolves with `undefined` if the link or its key is not valid. */
  startByLink(link: string, secret: string): Promise<ConsoleSession | undefined>
  /** Starts a session by a key's secret. Resolves with `undefined` if the key is not valid. */
  startByKey(key: string, secret: string): Promise<ConsoleSession | undefined>
  /** Finds a session whose key is valid. */
  session(secret: string): Promise<ConsoleSession | undefined>
  touch(secret: string, usedAt: string): Promise<void>
  end(secret: string): Promise<void>
  /** Deletes sessions that were not used since `usedBefore`, or that are older than `createdBefore`. */
  deleteExpired(limits: { usedBefore: string; createdBefore: string }): Promise<void>
}

// Project id of settings that apply to the whole service.
const ALL_PROJECTS = 0
const INSTANCE = 'console'

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')

type Db = MetadataContext['db']

const findSession = async (db: Db, hash: string): Promise<ConsoleSession | undefined> => {
  const row = await db
    .selectFrom('console_sessions')
    .innerJoin('api_keys', 'api_keys.id', 'console_sessions.key_id')
    .selectAll('api_keys')
    .select(['console_sessions.key_hash', 'console_sessions.created_at as began_at', 'console_sessions.used_at'])
    .where('console_sessions.hash', '=', hash)
    .executeTakeFirst()
  if (!row) return undefined
  const isAccepted = row.key_hash === row.hash || (row.key_hash === row.previous_hash && ifFuture(row.previous_until))
  return isAccepted ? { key: toKey(row), createdAt: row.began_at, usedAt: row.used_at } : undefined
}

const insertSession = async (db: Db, secret: string, key: { key_id: string; key_hash: string }) => {
  const hash = hashOf(secret)
  await db
    .insertInto('console_sessions')
    .values({ hash, ...key, created_at: now(), used_at: now() })
    .execute()
  return findSession(db, hash)
}

const createInstanceStore = ({ db, transact }: MetadataContext): Pick<ConsoleStore, 'instance' | 'setUrl'> => {
  const read = async (from: Db): Promise<ConsoleInstance | undefined> => {
    const row = await from
      .selectFrom('settings')
      .select('value_json')
      .where('project_id', '=', ALL_PROJECTS)
      .where('name', '=', INSTANCE)
      .executeTakeFirst()
    return row && (JSON.parse(row.value_json) as ConsoleInstance)
  }
  const write = async (to: Db, instance: ConsoleInstance) => {
    const value_json = JSON.stringify(instance)
    await to
      .insertInto('settings')
      .values({ project_id: ALL_PROJECTS, name: INSTANCE, value_json })
      .onConflict((conflict) => conflict.columns(['project_id', 'name']).doUpdateSet({ value_json }))
      .execute()
    return instance
  }
  const ensure = async (transaction: Db) =>
    (await read(transaction)) ?? write(transaction, { id: randomBytes(4).toString('hex'), url: undefined })
  return {
    instance: async () => (await read(db)) ?? transact(ensure),
    async setUrl(url) {
      await transact(async (transaction) => write(transaction, { ...(await ensure(transaction)), url }))
    },
  }
}

export const createConsoleStore = (context: MetadataContext): ConsoleStore => {
  const { db, transact, cacheReads } = context
  const byHash = cacheReads(
    'console session',
    (hash: string) => findSession(db, hash),
    // An accepted previous secret of the key expires with time.
    ({ key }) => key.previousUntil === undefined,
  )
  return {
    ...createInstanceStore(context),
    createLink: ({ secret, keyId, expiresAt }) =>
      transact(async (transaction) => {
        await transaction.deleteFrom('console_links').where('expires_at', '<', now()).execute()
        const key = await transaction.selectFrom('api_keys').select('hash').where('id', '=', keyId).executeTakeFirst()
        if (!key) return false
        const link = { hash: hashOf(secret), key_id: keyId, key_hash: key.hash, expires_at: expiresAt }
        await transaction.insertInto('console_links').values(link).execute()
        return true
      }),
    startByLink: (link, secret) =>
      transact(async (transaction) => {
        // One statement finds and deletes it, so that it cannot be used twice.
        const found = await transaction
          .deleteFrom('console_links')
          .where('hash', '=', hashOf(link))
          .returning(['key_id', 'key_hash', 'expires_at'])
          .executeTakeFirst()
        if (!found || !ifFuture(found.expires_at)) return undefined
        return insertSession(transaction, secret, { key_id: found.key_id, key_hash: found.key_hash })
      }),
    startByKey: (key, secret) =>
      transact(async (transaction) => {
        const hash = hashOf(key)
        const found = await transaction
          .selectFrom('api_keys')
          .select('id')
          .where((or) => or.or([or('hash', '=', hash), or('previous_hash', '=', hash)]))
          .executeTakeFirst()
        return found && insertSession(transaction, secret, { key_id: found.id, key_hash: hash })
      }),
    session: (secret) => byHash(hashOf(secret)),
    async touch(secret, usedAt) {
      await db.updateTable('console_sessions').set({ used_at: usedAt }).where('hash', '=', hashOf(secret)).execute()
    },
    async end(secret) {
      await db.deleteFrom('console_sessions').where('hash', '=', hashOf(secret)).execute()
    },
    async deleteExpired({ usedBefore, createdBefore }) {
      await db
        .deleteFrom('console_sessions')
        .where((or) => or.or([or('used_at', '<', usedBefore), or('created_at', '<', createdBefore)]))
        .execute()
    },
  }
}
