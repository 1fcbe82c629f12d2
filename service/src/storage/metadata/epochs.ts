import type { MetadataContext } from './context.ts'

/** A counter per project that increases whenever its events may have changed, shared by all processes. */
export interface EpochStore {
  of(projectId: number): Promise<number>
  advance(projectId: number): Promise<void>
}

export const createEpochStore = ({ db }: MetadataContext): EpochStore => ({
  async of(projectId) {
    const row = await db.selectFrom('epochs').select('epoch').where('project_id', '=', projectId).executeTakeFirst()
    return row?.epoch ?? 0
  },
  async advance(projectId) {
    await db
      .insertInto('epochs')
      .values({ project_id: projectId, epoch: 1 })
      .onConflict((conflict) =>
        conflict.column('project_id').doUpdateSet((column) => ({ epoch: column('epochs.epoch', '+', 1) })),
      )
      .execute()
  },
})
