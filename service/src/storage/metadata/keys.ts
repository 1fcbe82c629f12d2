import { createHash, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { ifFuture, isFuture, type MetadataContext, now } from './context.ts'
import type { Tables } from './tables.ts'

export interface ApiKey {
  readonly id: string
  /** Absent: the key is valid for all projects. */
  readonly projectId: number | undefined
  readonly label: string
  readonly scopes: readonly string[]
  /** Part of the secret that may be shown. */
  readonly mask: string
  readonly createdAt: string
  /** Time of the last rotation of the secret. */
  readonly rotatedAt: string | undefined
  /** Time until which the previous secret is accepted as well. Absent: it is not accepted. */
  readonly previousUntil: string | undefined
  readonly lastUsedAt: string | undefined
}

/** A new secret. The old one is accepted until `previousUntil`; absent: not at all. */
export interface Rotation {
  readonly secret: string
  readonly previousUntil: string | undefined
}

export interface NewKey {
  /** Absent: the key is valid for all projects. */
  readonly projectId: number | undefined
  readonly label: string
  readonly secret: string
  readonly scopes: readonly string[]
}

/** Personal API keys. Only hashes of their secrets are stored. */
export interface KeyStore {
  /** Finds a key by its secret, or by its previous secret while that is accepted. */
  bySecret(secret: string): Promise<ApiKey | undefined>
  /** Lists keys by creation time, oldest first. */
  list(): Promise<ApiKey[]>
  get(id: string): Promise<ApiKey | undefined>
  /** Resolves with `undefined` if a key with the same project, or lack of one, has the label. */
  create(key: NewKey): Promise<ApiKey | undefined>
  /** Creates the key named `label`, or replaces the secret and scopes of an existing one. */
  put(key: NewKey): Promise<void>
  rotate(id: string, rotation: Rotation): Promise<void>
  touch(id: string, usedAt: string): Promise<void>
  remove(idOrLabel: string): Promise<void>
}

const ALL_PROJECTS = 0

const hashOf = (secret: string) => createHash('sha256').update(secret).digest('hex')
const maskOf = (secret: string) => `${secret.slice(0, 4)}…${secret.slice(-4)}`

export const toKey = (row: Selectable<Tables['api_keys']>): ApiKey => ({
  id: row.id,
  projectId: row.project_id === ALL_PROJECTS ? undefined : row.project_id,
  label: row.label,
  scopes: JSON.parse(row.scopes_json) as string[],
  mask: row.mask,
  createdAt: row.created_at,
  rotatedAt: row.rotated_at ?? undefined,
  previousUntil: ifFuture(row.previous_until),
  lastUsedAt: row.last_used_at ?? undefined,
})

const toKeyRow = ({ projectId, label, secret, scopes }: NewKey): Tables['api_keys'] => ({
  id: randomUUID(),
  project_id: projectId ?? ALL_PROJECTS,
  label,
  hash: hashOf(secret),
  scopes_json: JSON.stringify(scopes),
  created_at: now(),
  mask: maskOf(secret),
  previous_hash: null,
  previous_until: null,
  rotated_at: null,
  last_used_at: null,
})

/** Queries that find keys. */
const createKeyReads = ({ db, cacheReads }: MetadataContext): Pick<KeyStore, 'bySecret' | 'list' | 'get'> => {
  const byHash = cacheReads(
    'key by hash',
    async (hash: string) => {
      const row = await db
        .selectFrom('api_keys')
        .selectAll()
        .where((or) =>
          or.or([or('hash', '=', hash), or.and([or('previous_hash', '=', hash), isFuture('previous_until')])]),
        )
        .executeTakeFirst()
      return row && toKey(row)
    },
    // An accepted previous secret expires with time, so the key is not cached.
    ({ previousUntil }) => previousUntil === undefined,
  )
  return {
    bySecret: (secret) => byHash(hashOf(secret)),
    list: async () =>
      (await db.selectFrom('api_keys').selectAll().orderBy('created_at').orderBy('id').execute()).map(toKey),
    async get(id) {
      const row = await db.selectFrom('api_keys').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toKey(row)
    },
  }
}

export const createKeyStore = (context: MetadataContext): KeyStore => {
  const { db, transact } = context
  return {
    ...createKeyReads(context),
    create: (key) =>
      transact(async (transaction) => {
        const row = toKeyRow(key)
        const other = await transaction
          .selectFrom('api_keys')
          .select('id')
          .where('project_id', '=', row.project_id)
          .where('label', '=', row.label)
          .executeTakeFirst()
        if (other) return undefined
        await transaction.insertInto('api_keys').values(row).execute()
        return toKey(row)
      }),
    put: (key) =>
      transact(async (transaction) => {
        const row = toKeyRow(key)
        const { project_id, label, scopes_json, hash, mask } = row
        const existing = await transaction
          .selectFrom('api_keys')
          .select('id')
          .where('label', '=', label)
          .where('hash', '=', hash)
          .executeTakeFirst()
        if (existing) {
          const changes = { project_id, scopes_json, mask }
          await transaction.updateTable('api_keys').set(changes).where('id', '=', existing.id).execute()
          return
        }
        await transaction
          .deleteFrom('api_keys')
          .where((or) => or.or([or('label', '=', label), or('hash', '=', hash)]))
          .execute()
        await transaction.insertInto('api_keys').values(row).execute()
      }),
    async rotate(id, { secret, previousUntil }) {
      await db
        .updateTable('api_keys')
        .set(({ ref }) => ({
          hash: hashOf(secret),
          mask: maskOf(secret),
          rotated_at: now(),
          previous_hash: previousUntil ? ref('hash') : null,
          previous_until: previousUntil ?? null,
        }))
        .where('id', '=', id)
        .execute()
    },
    async touch(id, usedAt) {
      await db.updateTable('api_keys').set({ last_used_at: usedAt }).where('id', '=', id).execute()
    },
    async remove(idOrLabel) {
      await db
        .deleteFrom('api_keys')
        .where((or) => or.or([or('id', '=', idOrLabel), or('label', '=', idOrLabel)]))
        .execute()
    },
  }
}
