import type { Selectable } from 'kysely'
import { ifFuture, isFuture, type MetadataContext, now, unlessTaken } from './context.ts'
import { TokenTaken } from './errors.ts'
import type { Tables } from './tables.ts'

export interface Project {
  readonly id: number
  readonly name: string
  /** Public token that browsers send with their events. */
  readonly token: string
  /** IANA name. */
  readonly timezone: string
  readonly createdAt: string
  /** Time until which the previous token is also accepted. Absent: it is not accepted. */
  readonly previousTokenUntil: string | undefined
  /** Origins of the sites on which the toolbar may open. */
  readonly toolbarOrigins: readonly string[]
}

export interface ProjectChanges {
  readonly name?: string
  readonly timezone?: string
  readonly toolbarOrigins?: readonly string[]
}

export interface ProjectStore {
  all(): Promise<Project[]>
  /** Finds a project by its token, or by its previous token while that is accepted. */
  byToken(token: string): Promise<Project | undefined>
  byId(id: number): Promise<Project | undefined>
  /** Rejects with `TokenTaken` if another project has the token. */
  create(project: { name: string; token: string; timezone?: string }): Promise<Project>
  change(id: number, changes: ProjectChanges): Promise<void>
  /**
   * Replaces the token. The old one is accepted until `previousUntil`; absent: not at all. Rejects with `TokenTaken` if
   * another project has the token.
   */
  setToken(id: number, token: string, previousUntil?: string): Promise<void>
}

const toProject = (row: Selectable<Tables['projects']>): Project => ({
  id: row.id,
  name: row.name,
  token: row.token,
  timezone: row.timezone,
  createdAt: row.created_at,
  previousTokenUntil: ifFuture(row.previous_token_until),
  toolbarOrigins: JSON.parse(row.toolbar_origins_json) as string[],
})

// An accepted previous token expires with time, so the project is not cached.
const mayCache = ({ previousTokenUntil }: Project) => previousTokenUntil === undefined

export const createProjectStore = (context: MetadataContext): ProjectStore => {
  const { db, transact, isUniqueViolation, cacheReads } = context
  return {
    all: async () => (await db.selectFrom('projects').selectAll().orderBy('id').execute()).map(toProject),
    byToken: cacheReads(
      'project by token',
      async (token: string) => {
        const row = await db
          .selectFrom('projects')
          .selectAll()
          .where((or) =>
            or.or([
              or('token', '=', token),
              or.and([or('previous_token', '=', token), isFuture('previous_token_until')]),
            ]),
          )
          .executeTakeFirst()
        return row && toProject(row)
      },
      mayCache,
    ),
    byId: cacheReads(
      'project',
      async (id: number) => {
        const row = await db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
        return row && toProject(row)
      },
      mayCache,
    ),
    async create(project) {
      try {
        return await transact(async (transaction) => {
          const { last } = await transaction
            .selectFrom('projects')
            .select(({ fn }) => fn.max('id').as('last'))
            .executeTakeFirstOrThrow()
          const row = {
            id: (last ?? 0) + 1,
            timezone: 'UTC',
            ...project,
            created_at: now(),
            previous_token: null,
            previous_token_until: null,
            toolbar_origins_json: '[]',
          }
          await transaction.insertInto('projects').values(row).execute()
          return toProject(row)
        })
      } catch (error) {
        throw isUniqueViolation(error) ? new TokenTaken() : error
      }
    },
    async change(id, { toolbarOrigins, ...columns }) {
      const changes = { ...columns, ...(toolbarOrigins && { toolbar_origins_json: JSON.stringify(toolbarOrigins) }) }
      if (Object.keys(changes).length) await db.updateTable('projects').set(changes).where('id', '=', id).execute()
    },
    async setToken(id, token, previousUntil) {
      const update = () =>
        db
          .updateTable('projects')
          .set(({ ref }) => ({
            token,
            previous_token: previousUntil ? ref('token') : null,
            previous_token_until: previousUntil ?? null,
          }))
          .where('id', '=', id)
          .execute()
      if ((await unlessTaken(context, update)) === undefined) throw new TokenTaken()
    },
  }
}
