import { createHash, randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type MetadataContext, now } from '../storage/metadata/context.ts'
import type { Tables } from '../storage/metadata/tables.ts'
import type { Share, ShareDefinition } from './definition.ts'

/** The fields of a share that may change. */
export type ShareChanges = Partial<Pick<Share, 'origins' | 'note' | 'expiresAt' | 'ownerKey'>> & {
  /** null: removes the password. */
  readonly password?: string | null
  readonly token?: string
}

export type NewShare = Pick<
  Share,
  'projectId' | 'definition' | 'origins' | 'note' | 'password' | 'ownerKey' | 'expiresAt'
>

export interface ShareLimits {
  /** Maximum shares of a project. */
  readonly max: number
  /** Maximum characters of the definitions of a project's shares. */
  readonly maxChars: number
  readonly endedBefore: string
}

export interface ShareStore {
  /** Lists a project's shares, newest first. */
  list(projectId: number): Promise<Share[]>
  get(projectId: number, id: string): Promise<Share | undefined>
  byId(id: string): Promise<Share | undefined>
  byToken(token: string): Promise<Share | undefined>
  /**
   * Creates a share. Deletes those that ended before `endedBefore`, and where there is no room, all that have ended. Resolves
   * with `undefined` if the project has no room even then.
   */
  create(share: NewShare, token: string, limits: ShareLimits): Promise<Share | undefined>
  /** Resolves with `undefined` if the share does not exist or is revoked. */
  update(projectId: number, id: string, changes: ShareChanges): Promise<Share | undefined>
  /** Revokes a share. Resolves with whether it exists. */
  revoke(projectId: number, id: string): Promise<boolean>
}

// A token has 256 random bits, so a fast hash suffices.
const hashOf = (token: string) => createHash('sha256').update(token).digest('hex')

const toShare = (row: Selectable<Tables['shares']>): Share => ({
  id: row.id,
  projectId: row.project_id,
  definition: JSON.parse(row.definition_json) as ShareDefinition,
  origins: JSON.parse(row.origins_json) as string[],
  note: row.note,
  password: row.password_hash ?? undefined,
  generation: hashOf(JSON.stringify([row.token_hash, row.password_hash])),
  ownerKey: row.owner_key_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at ?? undefined,
})

const toColumns = ({ origins, note, expiresAt, ownerKey, password, token }: ShareChanges) => ({
  ...(origins === undefined ? {} : { origins_json: JSON.stringify(origins) }),
  ...(note === undefined ? {} : { note }),
  ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  ...(ownerKey === undefined ? {} : { owner_key_id: ownerKey }),
  ...(password === undefined ? {} : { password_hash: password }),
  ...(token === undefined ? {} : { token_hash: hashOf(token) }),
})

export const createShareStore = ({ db, transact }: MetadataContext): ShareStore => {
  const all = () => db.selectFrom('shares').selectAll()
  const inProject = (projectId: number, id: string) =>
    all().where('project_id', '=', projectId).where('id', '=', id).executeTakeFirst()
  return {
    list: async (projectId) =>
      (await all().where('project_id', '=', projectId).orderBy('created_at', 'desc').orderBy('id').execute()).map(
        toShare,
      ),
    async get(projectId, id) {
      const row = await inProject(projectId, id)
      return row && toShare(row)
    },
    async byId(id) {
      const row = await all().where('id', '=', id).executeTakeFirst()
      return row && toShare(row)
    },
    async byToken(token) {
      const row = await all().where('token_hash', '=', hashOf(token)).executeTakeFirst()
      return row && toShare(row)
    },
    create: ({ projectId, definition, ...share }, token, { max, maxChars, endedBefore }) =>
      transact(async (transaction) => {
        const at = now()
        const definition_json = JSON.stringify(definition)
        const hasRoom = async () => {
          const { count, chars } = await transaction
            .selectFrom('shares')
            .select(({ fn }) => [
              fn.countAll<number>().as('count'),
              fn.sum<number>(fn<number>('length', ['definition_json'])).as('chars'),
            ])
            .where('project_id', '=', projectId)
            .executeTakeFirstOrThrow()
          return Number(count) < max && Number(chars ?? 0) + definition_json.length <= maxChars
        }
        const deleteEnded = (before: string) =>
          transaction
            .deleteFrom('shares')
            .where('project_id', '=', projectId)
            .where((or) => or.or([or('expires_at', '<', before), or('revoked_at', '<', before)]))
            .execute()
        await deleteEnded(endedBefore)
        if (!(await hasRoom())) {
          await deleteEnded(at)
          if (!(await hasRoom())) return undefined
        }
        const columns = toColumns({ ...share, password: share.password ?? null, token })
        const row = {
          id: randomUUID(),
          project_id: projectId,
          ...(columns as Required<typeof columns>),
          definition_json,
          created_at: at,
          updated_at: at,
          revoked_at: null,
        }
        await transaction.insertInto('shares').values(row).execute()
        return toShare(row)
      }),
    async update(projectId, id, changes) {
      const row = await db
        .updateTable('shares')
        .set({ ...toColumns(changes), updated_at: now() })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .returningAll()
        .executeTakeFirst()
      return row && toShare(row)
    },
    async revoke(projectId, id) {
      await db
        .updateTable('shares')
        .set({ revoked_at: now() })
        .where('project_id', '=', projectId)
        .where('id', '=', id)
        .where('revoked_at', 'is', null)
        .execute()
      return (await inProject(projectId, id)) !== undefined
    },
  }
}
