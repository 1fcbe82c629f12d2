import { type MetadataContext, now } from './context.ts'

/** Signing secrets of run tokens, and the ids of revoked ones. */
export interface RunTokenStore {
  /** Resolves with the secret that signs the project's run tokens. Stores `fresh` first if there is no secret. */
  secret(projectId: number): Promise<string | undefined>
  secret(projectId: number, fresh: string): Promise<string>
  setSecret(projectId: number, secret: string): Promise<void>
  /** Revokes a token. `until`: when the token expires, after which its id is deleted. */
  revoke(projectId: number, id: string, until: string): Promise<void>
  isRevoked(projectId: number, id: string): Promise<boolean>
}

export const createRunTokenStore = ({ db }: MetadataContext): RunTokenStore => ({
  async secret(projectId: number, fresh?: string) {
    if (fresh !== undefined)
      await db
        .insertInto('run_token_secrets')
        .values({ project_id: projectId, secret: fresh })
        .onConflict((conflict) => conflict.column('project_id').doNothing())
        .execute()
    const row = await db
      .selectFrom('run_token_secrets')
      .select('secret')
      .where('project_id', '=', projectId)
      .executeTakeFirst()
    return row?.secret as string
  },
  async setSecret(projectId, secret) {
    await db
      .insertInto('run_token_secrets')
      .values({ project_id: projectId, secret })
      .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ secret }))
      .execute()
  },
  async revoke(projectId, id, until) {
    await db.deleteFrom('revoked_run_tokens').where('until', '<', now()).execute()
    await db
      .insertInto('revoked_run_tokens')
      .values({ project_id: projectId, id, until })
      .onConflict((conflict) => conflict.columns(['project_id', 'id']).doNothing())
      .execute()
  },
  async isRevoked(projectId, id) {
    const row = await db
      .selectFrom('revoked_run_tokens')
      .select('id')
      .where('project_id', '=', projectId)
      .where('id', '=', id)
      .executeTakeFirst()
    return row !== undefined
  },
})
