import type { MetadataContext } from './context.ts'

/** A counter per project that increases whenever its events may have changed, shared by all processes. */
export interface EpochStore {
  of(projectId: number): Promise<number>
  /** Increases the counter by `step`, by default 1. */
  advance(projectId: number, step?: number): Promise<void>
}

export const createEpochStore = ({ db }: MetadataContext): EpochStore => ({
  async of(projectId) {
    const row = await db.selectFrom('epochs').select('epoch').where('project_id', '=', projectId).executeTakeFirst()
    return row?.epoch ?? 0
  },
  async advance(projectId, step = 1) {
    await db
      .insertInto('epochs')
      .values({ project_id: projectId, epoch: step })
      .onConflict((conflict) =>
        conflict.column('project_id').doUpdateSet((column) => ({ epoch: column('epochs.epoch', '+', step) })),
      )
      .execute()
  },
})
